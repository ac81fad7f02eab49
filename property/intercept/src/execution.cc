#include "lockstep/intercept/execution.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/single_threaded.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "audit.h"
#include "cleanups.h"
#include "descriptors.h"
#include "lockstep/stacks/own_stack.h"
#include "process_memory.h"
#include "signals.h"
#include "stream_locks.h"
#include "thread_locals.h"

namespace lockstep::intercept {

namespace {

// Locks keep the number beside other bits.
std::uint32_t next_number() {
  constexpr std::uint32_t kMost = 1U << 28;
  static std::uint32_t last = 0;
  return last = last % kMost + 1;
}

}  // namespace

Execution::Execution(Host& host)
    : host_(host),
      number_(next_number()),
      descriptors_(std::make_unique<Descriptors>(*this)),
      signals_(std::make_unique<Signals>()),
      stream_locks_(std::make_unique<StreamLocks>()) {
  if (current_) throw std::logic_error("a process can have only one execution at a time");
  audit();
  current_ = this;
}

void Execution::prepare() {
  audit();
  ThreadLocals::prepare();
}

Execution::~Execution() {
  descriptors_.reset();
  stream_locks_.reset();
  threads_.clear();
  current_ = nullptr;
  for (const unsigned key : own_keys_) ::pthread_key_delete(key);
}

Thread& Execution::start(std::function<void*()> body) { return create(std::move(body), false); }

Thread& Execution::create(std::function<void*()> body, bool by_library) {
  const auto number = static_cast<std::uint32_t>(threads_.size());
  threads_.push_back(
      std::make_unique<Thread>(*this, number, running_, by_library, std::move(body)));
  Thread& thread = *threads_.back();
  if (running_) becomes_observable();
  signals_->begin(thread);
  // libc does not see the thread. libstdc++ leaves out work for other threads while this is true.
  ::__libc_single_threaded = 0;
  happens_before(&thread);
  host_.started(thread);
  return thread;
}

void Execution::point(std::string_view call, const void* from) {
  Thread& thread = *running_;
  thread.caller_ = from;
  thread.point_ = call;
  if (from >= quiet_begin_ && from < quiet_end_) return;
  if (!is_observable(thread) && thread.root_.unobserved_calls_++ < kMostUnobserved) return;
  thread.call_ = call;
  host_.make_ready(thread, true);
  thread.leave();
}

void Execution::give_way(std::string_view call) {
  Thread& thread = *running_;
  thread.call_ = call;
  host_.make_ready(thread, false);
  thread.leave();
}

Woken Execution::wait(std::string_view call, const void* object,
                      std::optional<std::chrono::nanoseconds> until, Condition* condition) {
  Thread& thread = *running_;
  thread.call_ = call;
  thread.waits_ = true;
  const auto behind = std::ranges::upper_bound(waiters_, thread.number_, {}, &Waiter::number);
  waiters_.insert(behind, {thread.number_, &thread, object, condition});
  if (until) {
    thread.has_timer_ = true;
    host_.start_timer(thread, *until);
  }
  thread.leave();
  return thread.woken_;
}

// Variables of processes with memory of their own share addresses.
bool Execution::shares_memory(const Waiter& waiter, const void* object) const {
  if (!memory_ || !running_ || &waiter.thread->root() == &running_->root()) return true;
  return !ProcessMemory::is_variable(object);
}

// wake() removes the thread from the waiters, so that the next waiter gets its index.
void Execution::wake_all(const void* object) {
  for (std::size_t i = 0; i < waiters_.size();) {
    if (awaits(waiters_[i], object)) {
      waiters_[i].thread->wake(Woken::kByEvent);
    } else {
      ++i;
    }
  }
}

void Execution::wake_one(const void* object) {
  const auto count = static_cast<std::uint32_t>(std::ranges::count_if(
      waiters_, [&](const Waiter& waiter) { return awaits(waiter, object); }));
  if (count == 0) return;
  std::uint32_t before = count > 1 ? host_.draw(count) : 0;
  const auto chosen = std::ranges::find_if(
      waiters_, [&](const Waiter& waiter) { return awaits(waiter, object) && before-- == 0; });
  chosen->thread->wake(Woken::kByEvent);
}

bool Execution::any_waits(const void* object, bool (*in)(std::string_view call)) const {
  return std::ranges::any_of(waiters_, [&](const Waiter& waiter) {
    return awaits(waiter, object) && in(waiter.thread->call());
  });
}

void Execution::forget_waiter(const Thread& thread) {
  const auto at = std::ranges::find(waiters_, &thread, &Waiter::thread);
  if (at != waiters_.end()) waiters_.erase(at);
}

void Execution::remember_start() { ProcessMemory::remember_start(); }

void Execution::separate_memory() {
  remember_start();
  memory_ = std::make_unique<ProcessMemory>();
}

void Execution::libraries_changed() {
  const InRuntime inside;
  if (memory_) ProcessMemory::libraries_changed();
}

bool Execution::is_shared(const void* object) { return ProcessMemory::is_shared(object); }

Randomness& Execution::randomness() {
  const std::size_t process = memory_ ? running_->root().number_ : 0;
  if (process >= randomness_.size()) randomness_.resize(process + 1);
  return randomness_[process];
}

void Execution::end_threads_of(Thread& thread) {
  const Thread& root = thread.root();
  for (const auto& other : threads_) {
    if (&other->root() == &root) other->kill();
  }
  process_ended(root);
}

bool Execution::is_last(Thread& thread) const {
  const Thread& root = thread.root();
  return std::ranges::none_of(threads_, [&](const auto& other) {
    return other.get() != &thread && !other->ended() && &other->root() == &root;
  });
}

void Execution::thread_ended(Thread& thread) {
  if (is_last(thread)) process_ended(thread.root());
}

void Execution::process_ended(const Thread& root) {
  descriptors_->close_all_of(root);
  for (FILE* const stream : stream_locks_->free_all_of(root)) wake_all(stream);
}

void Execution::is_done(Thread& thread) {
  if (thread.root().has_exited_ && is_last(thread)) end_process("exit", 0);
}

void Execution::end_process(std::string_view call, int status) {
  const InRuntime inside;
  Thread& thread = *running_;
  thread.call_ = call;
  if (!host_.process_ends(thread, status)) return;
  thread.waits_ = true;
  for (;;) thread.leave();
}

void Execution::descriptors_changed() {
  for (std::size_t i = 0; i < waiters_.size();) {
    if (waiters_[i].condition && waiters_[i].condition->holds()) {
      waiters_[i].thread->wake(Woken::kByEvent);
    } else {
      ++i;
    }
  }
}

void Execution::deadlines_changed() {
  for (std::size_t i = 0; i < waiters_.size();) {
    if (waiters_[i].condition) {
      waiters_[i].thread->wake(Woken::kByEvent);
    } else {
      ++i;
    }
  }
}

void Execution::refuse(std::string_view function, std::string_view why) {
  Thread& thread = *running_;
  thread.call_ = function;
  thread.waits_ = true;
  host_.misused(thread, std::string(function) + ": " + std::string(why));
  for (;;) thread.leave();
}

Execution::Joined Execution::join(Thread& thread, std::string_view call,
                                  std::optional<std::chrono::nanoseconds> until) {
  point(call);
  while (!thread.ended_) {
    if (until && host_.now() >= *until) return {false, nullptr};
    wait(call, &thread, until);
  }
  happens_after(&thread);
  return {true, thread.result_};
}

void Execution::at_thread_exit(void (*function)(void*), void* argument) {
  running_->at_exit_.push_back({function, argument});
}

void** Execution::specific(std::size_t key) {
  std::vector<void*>& values = running_->specific_;
  if (values.size() <= key) values.resize(key + 1);
  return &values[key];
}

void Execution::forget_specific(std::size_t key) {
  for (const auto& thread : threads_) {
    if (key < thread->specific_.size()) thread->specific_[key] = nullptr;
  }
}

void Execution::has_created(unsigned key, const void* at) {
  const auto* const stack = static_cast<const std::byte*>(running_->stack_begin());
  const auto* const place = static_cast<const std::byte*>(at);
  const bool is_on_stack =
      std::less_equal<>()(stack, place) && std::less<>()(place, stack + running_->stack_bytes());
  if (memory_ && (is_on_stack || ProcessMemory::is_variable(at))) own_keys_.push_back(key);
}

void Execution::exit_thread(void* result) { running_->exit(result); }

void Execution::add_cleanup(CleanupBuffer& buffer) {
  buffer.before = std::exchange(running_->cleanup_buffer_, &buffer);
}

void Execution::remove_cleanup(CleanupBuffer& buffer) { running_->cleanup_buffer_ = buffer.before; }

void Execution::cleaned_up(CleanupBuffer& buffer) {
  remove_cleanup(buffer);
  running_->unwind();
}

void Execution::share(const void* begin, std::size_t bytes) { ThreadLocals::share(begin, bytes); }

void Execution::share_with_runtime(const void* begin, std::size_t bytes) {
  ThreadLocals::share_with_runtime(begin, bytes);
}

void Execution::restore_thread_locals() { ThreadLocals::restore_real(); }

}  // namespace lockstep::intercept
