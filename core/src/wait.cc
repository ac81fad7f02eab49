#include "lockstep/internal/wait.h"

#include "lockstep/internal/frame_pool.h"

namespace lockstep::internal {

// A deadline and a stop token that are being watched while a coroutine waits.
class Wait::Limits final : public Pooled {
 public:
  explicit Limits(Wait& wait) : wait_(wait), deadline_(wait), stopped_(wait) {
    if (wait.context_.deadline()) {
      wait.executor_.start_timer(deadline_, *wait.context_.deadline());
    }
    if (wait.context_.stop().stop_possible()) {
      stop_.emplace(wait.context_.stop(), PostStopped(*this));
    }
  }
  Limits(const Limits&) = delete;
  Limits& operator=(const Limits&) = delete;
  ~Limits() {
    stop_.reset();  // First: afterwards nobody posts stopped_ any more.
    wait_.executor_.withdraw(stopped_);
    wait_.executor_.stop_timer(deadline_);
  }

 private:
  class Deadline final : public Timer {
   public:
    explicit Deadline(Wait& wait) : wait_(wait) {}
    void run() override { wait_.abandon(Error::kTimedOut); }

   private:
    Wait& wait_;
  };
  class Stopped final : public Runnable {
   public:
    explicit Stopped(Wait& wait) : wait_(wait) {}
    void run() override { wait_.abandon(Error::kCancelled); }

   private:
    Wait& wait_;
  };
  // Runs on whichever thread asks to stop: only hands over to the executor.
  class PostStopped {
   public:
    explicit PostStopped(Limits& limits) : limits_(&limits) {}
    void operator()() const { limits_->wait_.executor_.post(limits_->stopped_); }

   private:
    Limits* limits_;
  };

  Wait& wait_;
  Deadline deadline_;
  Stopped stopped_;
  std::optional<std::stop_callback<PostStopped>> stop_;
};

void Wait::observe_limits() { limits_ = new Limits(*this); }

void Wait::forget_limits() noexcept { delete std::exchange(limits_, nullptr); }

std::optional<Error> Wait::limit_reached() const {
  if (context_.stop().stop_requested()) return Error::kCancelled;
  if (context_.deadline() && *context_.deadline() <= executor_.now()) return Error::kTimedOut;
  return std::nullopt;
}

void Wait::wake() {
  if (limits_) forget_limits();
  executor_.post(*this);
}

void Wait::run() {
  const std::coroutine_handle<> coroutine = std::exchange(coroutine_, nullptr);
  if (end_with_error_) {
    if (const std::optional<Error> error = failed()) {
      end_with_error_(coroutine.address(), static_cast<int>(*error));
      return run_next_coroutines();
    }
  }
  run_coroutine(coroutine);
}

void Wait::abandon(Error error) {
  if (done_) return;
  give_up(error);
  finish();
}

void Wait::forget() noexcept {
  executor_.withdraw(*this);
  forget_limits();
}

}  // namespace lockstep::internal
