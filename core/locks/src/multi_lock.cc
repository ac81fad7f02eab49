#include "lockstep/multi_lock.h"

#include <algorithm>
#include <string_view>

#include "lockstep/fair_mutex.h"

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

MultiLock::MultiLock(Session& session, std::vector<Path> locks, LockOptions options,
                     LockObserver* observer)
    : session_(session),
      locks_(std::move(locks)),
      options_(std::move(options)),
      observer_(observer) {
  std::ranges::sort(locks_, {}, &Path::view);
  const auto again = std::ranges::unique(locks_);
  locks_.erase(again.begin(), again.end());
}

Task<Result<HeldLocks>> MultiLock::acquire(Context context) {
  if (locks_.empty()) co_return failure(Error::kBadArguments);
  std::vector<HeldLock> held;
  const Result<void> all = co_await acquire_each(held, std::move(context));
  if (all) co_return HeldLocks(std::move(held));
  // All or nothing.
  while (!held.empty()) {
    release_in_background(session_, std::move(held.back()));
    held.pop_back();
  }
  co_return failure(all.error());
}

Task<Result<void>> MultiLock::acquire_each(std::vector<HeldLock>& held, Context context) {
  for (const Path& lock : locks_) {
    FairMutex mutex(session_, lock, options_, observer_);
    HeldLock next = co_await ok(mutex.acquire(context));
    held.push_back(std::move(next));
  }
  co_return Result<void>();
}

}  // namespace lockstep
