#include "lockstep/intercept/thread.h"

#include <cstdint>
#include <cstdlib>
#include <utility>

#include "caller.h"
#include "cleanups.h"
#include "keys.h"
#include "lockstep/intercept/execution.h"
#include "lockstep/stacks/own_stack.h"
#include "process_memory.h"
#include "thread_locals.h"

namespace lockstep::intercept {

namespace {

stacks::StackPool& pool() {
  static stacks::StackPool stacks(stacks::RunsAs::kThread);
  return stacks;
}

}  // namespace

Thread::Thread(Execution& execution, std::uint32_t number, Thread* creator, bool by_library,
               std::function<void*()> body)
    : execution_(execution),
      number_(number),
      creator_(creator),
      root_(creator ? creator->root_ : *this),
      by_library_(by_library),
      body_(std::move(body)),
      stack_(pool().take()),
      locals_(std::make_unique<ThreadLocals>()) {
  stack_->set_body([this] { run(); });
}

Thread::~Thread() {
  if (ended_) return;
  happens_after(this);
  stack_->abandon();
  pool().give_back(std::move(stack_));
}

const void* Thread::stack_begin() const { return stack_ ? stack_->begin() : nullptr; }

std::size_t Thread::stack_bytes() const { return stack_ ? stack_->bytes() : 0; }

bool Thread::is_called_by_library() const { return point_ == call_ && is_library_code(caller_); }

void Thread::go_on() {
  if (killed_) return;
  if (execution_.memory_) execution_.memory_->use(root().number_);
  Thread* const before = std::exchange(Execution::running_, this);
  const bool inside_before = std::exchange(Execution::inside_, inside_);
  const std::uintptr_t stack_before = Execution::stack_begin_.load(std::memory_order_relaxed);
  Execution::stack_bytes_.store(stack_->bytes(), std::memory_order_relaxed);
  Execution::stack_begin_.store(reinterpret_cast<std::uintptr_t>(stack_->begin()),
                                std::memory_order_relaxed);
  locals_->enter();
  stack_->enter();
  locals_->leave();
  Execution::stack_begin_.store(stack_before, std::memory_order_relaxed);
  Execution::inside_ = inside_before;
  Execution::running_ = before;
  if (!ended_) return;
  happens_after(this);
  // Thousands of short threads need no more memory than those that run at once.
  pool().give_back(std::move(stack_));
  locals_.reset();
  execution_.host().ended(*this);
  execution_.thread_ended(*this);
}

void Thread::leave() {
  inside_ = Execution::inside_;
  happens_before(this);
  stack_->leave();
  Execution::inside_ = inside_;
}

void Thread::kill() {
  if (ended()) return;
  killed_ = true;
  waits_ = false;
  execution_.forget_waiter(*this);
  if (std::exchange(has_timer_, false)) execution_.host().stop_timer(*this);
  execution_.host().ended(*this);
}

void Thread::timed_out() {
  has_timer_ = false;
  wake(Woken::kByTimer);
}

void Thread::wake(Woken by) {
  if (!waits_) return;
  waits_ = false;
  execution_.forget_waiter(*this);
  woken_ = by;
  ++moves_;
  if (has_timer_) {
    has_timer_ = false;
    execution_.host().stop_timer(*this);
  }
  execution_.host().make_ready(*this, false);
}

void Thread::run() {
  began_ = true;
  happens_after(this);
  Execution::resume_code();
  run_code();
  inside_ = true;
  Execution::enter_runtime();
  happens_before(this);
  ended_ = true;
  call_ = "end";
  execution_.wake_all(this);
}

// An exception that escapes from a thread ends the program, as it does without interception.
void Thread::run_code() noexcept {
  if (__builtin_setjmp(end_.data()) == 0) run_body();
  body_ = nullptr;
  finish();
  execution_.is_done(*this);
}

// Not a part of run_code(), whose frame stop_unwinding() could then not tell from this one.
[[gnu::noinline]] void Thread::run_body() {
  end_frame_ = reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa());
  result_ = body_();
}

void Thread::exit(void* result) {
  result_ = result;
  has_exited_ = true;
  unwind();
}

// As in glibc: code may catch the exit with `catch (...)`, but must throw it again.
void Thread::unwind() {
  Execution::inside_ = false;
  exit_exception_ = {};
  exit_exception_.exception_cleanup = [](_Unwind_Reason_Code, _Unwind_Exception*) { ::abort(); };
  ::_Unwind_ForcedUnwind(&exit_exception_, &stop_unwinding, this);
  ::abort();
}

// The unwinder calls this before each frame, whose stack pointer is the end of the next younger
// frame.
_Unwind_Reason_Code Thread::stop_unwinding(int, _Unwind_Action actions, _Unwind_Exception_Class,
                                           _Unwind_Exception*, _Unwind_Context* context,
                                           void* thread) {
  auto& self = *static_cast<Thread*>(thread);
  const bool is_over = (actions & _UA_END_OF_STACK) != 0;
  const std::uintptr_t frame = ::_Unwind_GetCFA(context);
  CleanupBuffer* const buffer = self.cleanup_buffer_;
  if (buffer && (is_over || frame >= buffer->frame)) clean_up(*buffer);
  if (is_over || frame >= self.end_frame_) __builtin_longjmp(self.end_.data(), 1);
  return _URC_NO_REASON;
}

// ThreadSanitizer ignores the destructors: the runtime may have used the memory that they release,
// through the thread's pool of coroutine frames.
void Thread::finish() {
  runtime_begins();
  while (!at_exit_.empty()) {
    const ExitCall last = at_exit_.back();
    at_exit_.pop_back();
    last.function(last.argument);
  }
  destroy_specifics(specific_);
  runtime_ends();
}

}  // namespace lockstep::intercept
