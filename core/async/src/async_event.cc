#include "lockstep/async_event.h"

#include <utility>

namespace lockstep {

EventWait::EventWait(AsyncEvent& event, Context context)
    : Wait(event.executor_, std::move(context)), event_(event) {
  if (event_.is_set()) {
    finish();
  } else if (const std::optional<Error> over = already_over()) {
    result_ = failure(*over);
    finish();
  } else {
    event_.waits_.push_back(this);
  }
}

EventWait::~EventWait() { std::erase(event_.waits_, this); }

std::optional<Error> EventWait::failed() const {
  if (result_) return std::nullopt;
  return result_.error();
}

void EventWait::give_up(Error error) {
  std::erase(event_.waits_, this);
  result_ = failure(error);
}

void AsyncEvent::set() {
  set_ = true;
  for (EventWait* const wait : std::exchange(waits_, {})) wait->finish();
}

}  // namespace lockstep
