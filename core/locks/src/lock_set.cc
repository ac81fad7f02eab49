#include "lockstep/lock_set.h"

#include <utility>

#include "lockstep/fair_mutex.h"
#include "lockstep/internal/acquire.h"
#include "lockstep/read_write_lock.h"
#include "lockstep/unfair_mutex.h"

namespace lockstep {

namespace {

HeldLocks only(HeldLock held) {
  std::vector<HeldLock> one;
  one.push_back(std::move(held));
  return HeldLocks(std::move(one));
}

// For recipes that are taken with acquire().
template <class Recipe>
Task<Result<HeldLocks>> acquire(Session& session, Path lock, LockOptions options,
                                LockObserver* observer, Context context) {
  Recipe recipe(session, std::move(lock), std::move(options), observer);
  HeldLock held = co_await ok(recipe.acquire(std::move(context)));
  co_return only(std::move(held));
}

Task<Result<HeldLocks>> acquire_side(Share share, Session& session, Path lock, LockOptions options,
                                     LockObserver* observer, Context context) {
  ReadWriteLock sides(session, std::move(lock), std::move(options), observer);
  HeldLock held =
      co_await ok(internal::acquire_side(sides, share, Patience::kWaits, std::move(context)));
  co_return only(std::move(held));
}

Task<Result<HeldLocks>> acquire_leases(Session& session, Path path, LeaseCount limit,
                                       std::int32_t leases, LockOptions options,
                                       LockObserver* observer, Context context) {
  Semaphore semaphore(session, std::move(path), std::move(limit), std::move(options), observer);
  Result<HeldLocks> held = co_await semaphore.acquire(leases, std::move(context));
  co_return std::move(held);
}

template <class Recipe>
LockSet::Way way_of(LockOptions options) {
  return [options = std::move(options)](Session& session, Path lock, LockObserver* observer,
                                        Context context) {
    return acquire<Recipe>(session, std::move(lock), options, observer, std::move(context));
  };
}

LockSet::Way way_of(Share share, LockOptions options) {
  return [share, options = std::move(options)](Session& session, Path lock, LockObserver* observer,
                                               Context context) {
    return acquire_side(share, session, std::move(lock), options, observer, std::move(context));
  };
}

}  // namespace

LockSet& LockSet::mutex(Path lock, LockOptions options) {
  return add(Kind::kMutex, std::move(lock), 0, way_of<FairMutex>(std::move(options)));
}

LockSet& LockSet::unfair_mutex(Path znode, LockOptions options) {
  return add(Kind::kUnfairMutex, std::move(znode), 0, way_of<UnfairMutex>(std::move(options)));
}

LockSet& LockSet::read(Path lock, LockOptions options) {
  return add(Kind::kRead, std::move(lock), 0, way_of(Share::kShared, std::move(options)));
}

LockSet& LockSet::write(Path lock, LockOptions options) {
  return add(Kind::kWrite, std::move(lock), 0, way_of(Share::kExclusive, std::move(options)));
}

LockSet& LockSet::leases(Path semaphore, LeaseCount limit, std::int32_t leases,
                         LockOptions options) {
  Way way = [limit = std::move(limit), leases, options = std::move(options)](
                Session& session, Path path, LockObserver* observer, Context context) {
    return acquire_leases(session, std::move(path), limit, leases, options, observer,
                          std::move(context));
  };
  return add(Kind::kLeases, std::move(semaphore), leases, std::move(way));
}

std::vector<Path> LockSet::paths() const {
  std::vector<Path> paths;
  paths.reserve(members_.size());
  for (const Member& member : members_) paths.push_back(member.lock);
  return paths;
}

LockSet& LockSet::other(Path lock, Way way) {
  return add(Kind::kOther, std::move(lock), 0, std::move(way));
}

}  // namespace lockstep
