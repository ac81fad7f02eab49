#include "lockstep/held_locks.h"

#include <ranges>
#include <utility>

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

Task<ReleaseOutcome> worst_of(std::vector<Task<ReleaseOutcome>> releases) {
  ReleaseOutcome worst = ReleaseOutcome::kReleased;
  for (Task<ReleaseOutcome>& release : releases) {
    const ReleaseOutcome outcome = co_await std::move(release);
    if (badness(outcome) > badness(worst)) worst = outcome;
  }
  co_return worst;
}

}  // namespace

LockState HeldLocks::state() const {
  LockState worst = LockState::kHeld;
  for (const HeldLock& held : held_) {
    if (badness(held.state()) > badness(worst)) worst = held.state();
  }
  return worst;
}

// No coroutine: each task owns its grant from now on, also before it begins.
Task<ReleaseOutcome> HeldLocks::release(const Context& context) {
  std::vector<Task<ReleaseOutcome>> releases;
  releases.reserve(held_.size());
  for (HeldLock& held : std::views::reverse(held_)) releases.push_back(held.release(context));
  return worst_of(std::move(releases));
}

}  // namespace lockstep
