#include "lockstep/internal/wait.h"

#include "lockstep/internal/frame_pool.h"

namespace lockstep::internal {

// The deadline and the stop token of a waiting coroutine's context.
class Wait::Limits final : public Pooled {
 public:
  explicit Limits(Wait& wait) : deadline_(wait) {
    const std::optional<TimePoint> deadline = wait.context_.deadline();
    if (deadline) wait.executor_.start_timer(deadline_, *deadline);
    std::stop_token stop = wait.context_.stop();
    if (stop.stop_possible()) stop_.emplace(wait, std::move(stop));
  }
  Limits(const Limits&) = delete;
  Limits& operator=(const Limits&) = delete;
  ~Limits() { deadline_.stop(); }

 private:
  class Deadline final : public Timer {
   public:
    explicit Deadline(Wait& wait) : wait_(wait) {}
    void run() override { wait_.abandon(Error::kTimedOut); }
    void stop() noexcept { wait_.executor_.stop_timer(*this); }

   private:
    Wait& wait_;
  };
  class Stopped final : public Runnable {
   public:
    Stopped(Wait& wait, std::stop_token&& stop) : wait_(wait) {
      callback_.emplace(std::move(stop), Post(*this));
    }
    ~Stopped() override {
      callback_.reset();  // Before withdraw(): no stop can post this object any more.
      wait_.executor_.withdraw(*this);
    }
    void run() override { wait_.abandon(Error::kCancelled); }

   private:
    // Runs on the thread that requests the stop, so it only posts to the executor.
    class Post {
     public:
      explicit Post(Stopped& stopped) : stopped_(&stopped) {}
      void operator()() const { stopped_->wait_.executor_.post(*stopped_); }

     private:
      Stopped* stopped_;
    };

    Wait& wait_;
    std::optional<std::stop_callback<Post>> callback_;
  };

  Deadline deadline_;
  std::optional<Stopped> stop_;
};

void Wait::observe_limits() { limits_ = new Limits(*this); }

void Wait::forget_limits() noexcept { delete std::exchange(limits_, nullptr); }

std::optional<Error> Wait::limit_reached() const {
  if (context_.stop_requested()) return Error::kCancelled;
  if (context_.deadline() && *context_.deadline() <= executor_.now()) return Error::kTimedOut;
  return std::nullopt;
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
