#include "lockstep/watch.h"

#include "lockstep/internal/check.h"
#include "lockstep/internal/watch_registry.h"

namespace lockstep {

std::string_view name(EventType type) {
  switch (type) {
    case EventType::kCreated: return "created";
    case EventType::kDeleted: return "deleted";
    case EventType::kChanged: return "changed";
    case EventType::kChild: return "child";
  }
  return "unknown event";
}

internal::WatchState::~WatchState() {
  if (entry_) entry_->registry.forget(*this);
}

void internal::WatchState::resolve(Result<WatchEvent> outcome) {
  if (outcome_) return;
  outcome_.emplace(std::move(outcome));
  if (waiter_) std::exchange(waiter_, nullptr)->finish();
}

WatchWait::WatchWait(Executor& executor, internal::WatchState& state, Context context)
    : Wait(executor, std::move(context)), state_(state) {
  if (state.outcome_) {
    finish();
  } else if (const std::optional<Error> over = already_over()) {
    over_ = over;
    finish();
  } else {
    internal::check(!state.waiter_, "a watch has one waiter at a time");
    state.waiter_ = this;
  }
}

WatchWait::~WatchWait() {
  if (!done()) state_.waiter_ = nullptr;
}

std::optional<Error> WatchWait::failed() const {
  if (over_) return over_;
  if (!state_.outcome_ || state_.outcome_->has_value()) return std::nullopt;
  return state_.outcome_->error();
}

void WatchWait::give_up(Error error) {
  state_.waiter_ = nullptr;
  over_ = error;
}

}  // namespace lockstep
