#include "lockstep/multi_lock.h"

#include <algorithm>

#include "lockstep/fair_mutex.h"

namespace lockstep {

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
