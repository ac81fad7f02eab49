#include <algorithm>

#include "lockstep/blocking/recursive_read_write_lock.h"
#include "lockstep/internal/acquire.h"
#include "lockstep/ok.h"

namespace lockstep::internal {

namespace {

Task<Result<RecursiveReadWriteLock::Hold>> enter(RecursiveReadWriteLock& lock, Share share,
                                                 Patience patience, Context context) {
  const LockOwner owner(&lock);  // The lock has a single owner.
  return acquire_side(lock, share, patience, owner, std::move(context));
}

}  // namespace

bool RecursiveHolds::has_hold(Share share) const {
  return std::ranges::find(levels_, share, &Hold::share) != levels_.end();
}

Task<Result<void>> RecursiveHolds::acquire(Share share, Patience patience, Context context) {
  Hold next = co_await ok(enter(*lock_, share, patience, std::move(context)));
  levels_.push_back(std::move(next));
  co_return Result<void>();
}

Task<ReleaseOutcome> RecursiveHolds::leave(Share share, Context context) {
  const auto level = std::ranges::find(levels_, share, &Hold::share);
  Hold left = std::move(*level);
  levels_.erase(level);
  const ReleaseOutcome outcome = co_await left.release(std::move(context));
  co_return outcome;
}

Task<Result<RecursiveHolds>> RecursiveEntry::acquire(Share share, Patience patience,
                                                     Context context) {
  RecursiveReadWriteLock::Hold first =
      co_await ok(enter(*lock_, share, patience, std::move(context)));
  co_return RecursiveHolds(std::move(lock_), std::move(first));
}

}  // namespace lockstep::internal
