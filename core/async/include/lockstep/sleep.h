#pragma once

#include "lockstep/internal/wait.h"
#include "lockstep/result.h"

namespace lockstep {

// Waits until the executor's clock has reached an instant: virtual time in a simulation. Never, if
// that is TimePoint::max(), so that a sleep for Duration::max() lasts until the context ends.
// Resolves with kTimedOut or kCancelled if the context ends first. Resumes on the executor.
class [[nodiscard("a sleep takes time only where it is awaited: co_await it")]] Sleep final
    : public internal::Wait {
 public:
  Sleep(Executor& executor, TimePoint until, Context context = {});
  ~Sleep() override;
  [[nodiscard]] Result<void> await_resume() const { return result_; }
  [[nodiscard]] std::optional<Error> failed() const override;
  [[nodiscard]] Error error() const { return result_.error(); }

 private:
  class Alarm final : public Timer {
   public:
    explicit Alarm(Sleep& sleep) : sleep_(sleep) {}
    void run() override { sleep_.finish(); }

   private:
    Sleep& sleep_;
  };
  void give_up(Error error) override;

  Result<void> result_;
  Alarm alarm_{*this};
};

inline Sleep sleep_until(Executor& executor, TimePoint until, Context context = {}) {
  return Sleep(executor, until, std::move(context));
}
inline Sleep sleep_for(Executor& executor, Duration duration, Context context = {}) {
  return Sleep(executor, after(executor.now(), duration), std::move(context));
}

}  // namespace lockstep
