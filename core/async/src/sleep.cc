#include "lockstep/sleep.h"

namespace lockstep {

Sleep::Sleep(Executor& executor, TimePoint until, Context context)
    : Wait(executor, std::move(context)) {
  if (const std::optional<Error> over = already_over()) {
    result_ = failure(*over);
    finish();
  } else if (until <= executor.now()) {
    finish();
  } else if (until != TimePoint::max()) {
    executor.start_timer(alarm_, until);
  }
}

Sleep::~Sleep() { executor().stop_timer(alarm_); }

std::optional<Error> Sleep::failed() const {
  if (result_) return std::nullopt;
  return result_.error();
}

void Sleep::give_up(Error error) {
  executor().stop_timer(alarm_);
  result_ = failure(error);
}

}  // namespace lockstep
