#include "lockstep/multi_lock.h"

#include <algorithm>
#include <iterator>

namespace lockstep {

namespace {

LockSet mutexes(std::vector<Path> locks, const LockOptions& options) {
  LockSet set;
  for (Path& lock : locks) set.mutex(std::move(lock), options);
  return set;
}

}  // namespace

MultiLock::MultiLock(Session& session, std::vector<Path> locks, LockOptions options,
                     LockObserver* observer)
    : MultiLock(session, mutexes(std::move(locks), options), observer) {}

MultiLock::MultiLock(Session& session, LockSet locks, LockObserver* observer)
    : session_(session), observer_(observer) {
  const auto path = [](const LockSet::Member& member) { return member.lock.view(); };
  for (LockSet::Member& member : locks.members_) {
    const auto behind = std::ranges::upper_bound(locks_, path(member), {}, path);
    locks_.insert(behind, std::move(member));
  }
  const auto again = std::ranges::unique(locks_, [](const auto& one, const auto& next) {
    return one.lock == next.lock && one.is_like(next);
  });
  locks_.erase(again.begin(), again.end());
}

Result<void> MultiLock::valid() const {
  const auto same_path = [](const auto& one, const auto& next) { return one.lock == next.lock; };
  const bool ambiguous = std::ranges::adjacent_find(locks_, same_path) != locks_.end();
  if (locks_.empty() || ambiguous) return failure(Error::kBadArguments);
  return {};
}

Task<Result<HeldLocks>> MultiLock::acquire(One, Context context) {
  co_await ok(valid());
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
  for (const LockSet::Member& member : locks_) {
    HeldLocks next = co_await ok(member.way(session_, member.lock, observer_, context));
    std::ranges::move(std::move(next).each(), std::back_inserter(held));
  }
  co_return Result<void>();
}

}  // namespace lockstep
