#include "lockstep/lab/fibers.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <system_error>
#include <utility>

#include "lockstep/fakezk/world.h"
#include "lockstep/internal/check.h"
#include "lockstep/internal/wait.h"
#include "lockstep/stacks/own_stack.h"
#include "process/watchdog.h"

namespace lockstep::lab {

namespace {

// Thrown to unwind a body whose task has been destroyed.
class Abandoned {};

// Cleanup never needs so many calls.
constexpr int kMostLastCalls = 1000;

std::terminate_handler handler_before = nullptr;

// A terminate handler that explains the end if unwinding such a body has caused it.
[[noreturn]] void terminate_saying_why() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const Abandoned&) {
    std::fputs(
        "lockstep: a simulated process has crashed while a destructor, or another function that is"
        " noexcept, waited in a blocking call: let that call run a task of ReleaseOutcome"
        " (lockstep/blocking/run.h)\n",
        stderr);
    std::abort();
  } catch (...) {  // The previous handler prints more.
  }
  if (handler_before) handler_before();
  std::abort();
}

// Installed once: the handler belongs to the whole program.
void say_why_from_now_on() {
  static const bool said = [] {
    handler_before = std::set_terminate(&terminate_saying_why);
    return true;
  }();
  static_cast<void>(said);
}

}  // namespace

class Fibers::Pool {
 public:
  stacks::StackPool stacks;
  Watchdog watchdog;
  std::optional<Watchdog::Visit> execution;
};

// Resolves when the call for which a fiber waits is over.
class Fibers::CallOver final : public internal::Wait {
 public:
  explicit CallOver(Executor& executor) : Wait(executor, Context()) {}
  void await_resume() const {}
  void over() { finish(); }

 private:
  void give_up(Error) override {}
  [[nodiscard]] std::optional<Error> failed() const override { return std::nullopt; }
};

class Fibers::Fiber final : public fakezk::Thread {
 public:
  Fiber(Fibers& fibers, fakezk::Process& process, std::function<void()> body)
      : Thread(process),
        fibers_(fibers),
        body_(std::move(body)),
        stack_(fibers.stacks_->stacks.take()) {
    stack_->set_body([this] { run(); });
  }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber() override {
    if (!done_) {
      abandoned_ = true;
      fibers_.resume(*this);
      internal::check(done_, "a fiber whose task is gone has ended");
    }
    fibers_.stacks_->stacks.give_back(std::move(stack_));
  }

  void enter() { stack_->enter(); }
  void wait_for(BlockingCall& call) {
    call.waiter = this;
    call.executor().post(call);
    stack_->leave();
    if (abandoned_ && !comes_back(call)) throw Abandoned();
  }
  // Runs a call as in a dying process: a release begins, and its result is not awaited.
  void last(BlockingCall& call) {
    internal::check(++last_calls_ < kMostLastCalls, "catch (...) has swallowed a fiber's end");
    if (!comes_back(call)) throw Abandoned();
    call.run();
  }

  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] bool abandoned() const { return abandoned_; }
  void waits_in(CallOver& wait) { waits_in_ = &wait; }
  void rethrow() {
    if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
  }

 private:
  // Calls in destructors must not throw. std::uncaught_exceptions() counts per fiber.
  static bool comes_back(const BlockingCall& call) {
    const bool has_no_value = call.kind == BlockingCall::Kind::kNoValue;
    return call.is_release() || (has_no_value && std::uncaught_exceptions() > 0);
  }

  void go_on() override { waits_in_->over(); }
  void run() {
    try {
      if (!abandoned_) body_();
    } catch (const Abandoned&) {  // It was there to unwind.
    } catch (...) {
      exception_ = std::current_exception();
    }
    done_ = true;
  }

  Fibers& fibers_;
  std::function<void()> body_;
  std::unique_ptr<stacks::OwnStack> stack_;
  CallOver* waits_in_ = nullptr;
  std::exception_ptr exception_;
  int last_calls_ = 0;
  bool done_ = false;
  bool abandoned_ = false;
};

Fibers::Fibers() : stacks_(std::make_unique<Pool>()) { say_why_from_now_on(); }
Fibers::~Fibers() = default;

void Fibers::execution_begins() {
  thread_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  if (!stacks_->execution) stacks_->execution.emplace(stacks_->watchdog);
}
void Fibers::execution_ends() noexcept { stacks_->execution.reset(); }

Task<void> Fibers::run(fakezk::Process& process, std::function<void()> body) {
  Fiber fiber(*this, process, std::move(body));
  for (;;) {
    CallOver call_over(process);
    fiber.waits_in(call_over);
    resume(fiber);
    if (fiber.done()) break;
    co_await call_over;
  }
  fiber.rethrow();
}

void Fibers::resume(Fiber& fiber) {
  thread_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  const Watchdog::Visit visit(stacks_->watchdog);
  Fiber* const before = std::exchange(running_, &fiber);
  fiber.enter();
  running_ = before;
}

// Another thread would leave the stack of the currently running fiber.
void Fibers::refuse_other_threads() const {
  const std::thread::id worlds = thread_.load(std::memory_order_relaxed);
  if (worlds == std::thread::id() || worlds == std::this_thread::get_id()) return;
  throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur),
                          "lockstep: a blocking call on a thread other than the simulated world's;"
                          " in a hunt only fibers may block (Contender::on_fiber)");
}

void Fibers::block(BlockingCall& call) {
  refuse_other_threads();
  if (!running_) {
    if (call.is_release()) return call.run();
    throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur),
                            "lockstep: a blocking call outside of a fiber");
  }
  Fiber& fiber = *running_;
  if (fiber.abandoned()) return fiber.last(call);
  fiber.wait_for(call);
}

void Fibers::over(BlockingCall& call) noexcept {
  call.is_over = true;
  static_cast<Fiber*>(call.waiter)->make_ready();
}

LockOwner Fibers::caller() const {
  refuse_other_threads();
  return LockOwner(running_);
}

bool Fibers::is_dying() const noexcept { return running_ && running_->abandoned(); }

}  // namespace lockstep::lab
