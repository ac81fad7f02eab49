#include "lockstep/held_locks.h"

namespace lockstep {

namespace {

int badness(LockState state) {
  switch (state) {
    case LockState::kHeld: return 0;
    case LockState::kSuspect: return 1;
    case LockState::kReleased: return 2;
    case LockState::kLost: return 3;
  }
  return 3;
}

int badness(ReleaseOutcome outcome) {
  switch (outcome) {
    case ReleaseOutcome::kReleased: return 0;
    case ReleaseOutcome::kAlreadyLost: return 1;
    case ReleaseOutcome::kUnknown: return 2;
  }
  return 2;
}

}  // namespace

LockState HeldLocks::state() const {
  LockState worst = LockState::kHeld;
  for (const HeldLock& held : held_) {
    if (badness(held.state()) > badness(worst)) worst = held.state();
  }
  return worst;
}

Task<ReleaseOutcome> HeldLocks::release(Context context) {
  ReleaseOutcome worst = ReleaseOutcome::kReleased;
  for (std::size_t i = held_.size(); i > 0; --i) {
    const ReleaseOutcome outcome = co_await held_[i - 1].release(context);
    if (badness(outcome) > badness(worst)) worst = outcome;
  }
  co_return worst;
}

}  // namespace lockstep
