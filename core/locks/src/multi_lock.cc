#include "lockstep/multi_lock.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <optional>
#include <stop_token>

#include "lockstep/internal/linked_stop.h"

namespace lockstep {

namespace {

LockSet mutexes(std::vector<Path> locks, const LockOptions& options) {
  LockSet set;
  for (Path& lock : locks) set.mutex(std::move(lock), options);
  return set;
}

// The error that ended one of the grants, if there is one.
Result<void> none_is_lost(const std::vector<HeldLock>& held) {
  const auto lost =
      std::ranges::find_if(held, [](const HeldLock& each) { return each.cause().has_value(); });
  if (lost != held.end()) return failure(*lost->cause());
  return {};
}

class RequestStop {
 public:
  explicit RequestStop(std::stop_source& source) : source_(&source) {}
  void operator()() const { source_->request_stop(); }

 private:
  std::stop_source* source_;
};

}  // namespace

MultiLock::MultiLock(Session& session, std::vector<Path> locks, const LockOptions& options,
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

// Takes one lock after the other, until one of those that it has is lost: all of them cannot be had
// any more, and the caller must not wait for the rest.
Task<Result<void>> MultiLock::acquire_each(std::vector<HeldLock>& held, Context context) {
  std::stop_source lost;
  const internal::LinkedStop ended(context.stop(), lost.get_token());
  std::deque<std::stop_callback<RequestStop>> losses;
  for (const LockSet::Member& member : locks_) {
    Result<HeldLocks> next =
        co_await member.way(session_, member.lock, observer_, ended.bound(context));
    if (next) std::ranges::move(std::move(*next).each(), std::back_inserter(held));
    co_await ok(none_is_lost(held));
    if (!next) co_return failure(next.error());
    while (losses.size() < held.size()) {
      losses.emplace_back(held[losses.size()].lost_token(), RequestStop(lost));
    }
  }
  co_return Result<void>();
}

}  // namespace lockstep
