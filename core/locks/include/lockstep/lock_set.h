#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "lockstep/held_locks.h"
#include "lockstep/lock_observer.h"
#include "lockstep/lock_options.h"
#include "lockstep/ok.h"
#include "lockstep/semaphore.h"
#include "lockstep/session.h"

namespace lockstep {

// The locks of a MultiLock, each with its recipe and its options:
//
//   LockSet wanted = LockSet().write("/accounts/7").read("/rates").leases("/printers", 4, 2);
class LockSet {
 public:
  // Takes the lock and resolves with all its grants, or with an error and none of them. A lambda
  // that captures is no coroutine itself: it calls one, whose arguments are values.
  using Way = std::function<Task<Result<HeldLocks>>(Session&, Path, LockObserver*, Context)>;

  LockSet() = default;

  // A FairMutex, an UnfairMutex.
  LockSet& mutex(Path lock, LockOptions options = LockOptions());
  LockSet& unfair_mutex(Path znode, LockOptions options = LockOptions());
  // A side of a ReadWriteLock.
  LockSet& read(Path lock, LockOptions options = LockOptions());
  LockSet& write(Path lock, LockOptions options = LockOptions());
  // `leases` leases of the semaphore at that path, whose limit is `limit`.
  LockSet& leases(Path semaphore, LeaseCount limit, std::int32_t leases = 1,
                  LockOptions options = LockOptions());
  // Any other recipe.
  LockSet& other(Path lock, Way way);

  // The paths of all locks, in the order in which the locks were named.
  [[nodiscard]] std::vector<Path> paths() const;

 private:
  friend class MultiLock;
  enum class Kind : std::uint8_t { kMutex, kUnfairMutex, kRead, kWrite, kLeases, kOther };
  class Member {
   public:
    Member(Kind recipe, Path path, std::int32_t count, Way how)
        : kind(recipe), lock(std::move(path)), leases(count), way(std::move(how)) {}
    [[nodiscard]] bool is_like(const Member& other) const {
      return kind == other.kind && leases == other.leases && kind != Kind::kOther;
    }

    Kind kind;
    Path lock;
    std::int32_t leases;
    Way way;
  };
  LockSet& add(Kind kind, Path lock, std::int32_t leases, Way way) {
    members_.emplace_back(kind, std::move(lock), leases, std::move(way));
    return *this;
  }

  std::vector<Member> members_;
};

}  // namespace lockstep
