#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "lockstep/contenders.h"
#include "lockstep/held_lock.h"
#include "lockstep/held_locks.h"
#include "lockstep/internal/task_count.h"
#include "lockstep/lock_observer.h"
#include "lockstep/lock_options.h"
#include "lockstep/ok.h"
#include "lockstep/session.h"
#include "lockstep/turn.h"
#include "lockstep/watch.h"
#include "lockstep/within.h"

namespace lockstep {

// The number of leases of a semaphore.
class LeaseCount {
 public:
  // A fixed number, equal in all processes that use the semaphore.
  LeaseCount(std::int32_t leases) : fixed_(leases) {}  // NOLINT: a number is one
  // The number in the znode at this path (see set_shared_count), which may change while contenders
  // wait. The znode is outside of the semaphore's path.
  template <std::convertible_to<Path> P>
  LeaseCount(P&& count)  // NOLINT: where the number is to be found
      : shared_(std::forward<P>(count)) {}

  [[nodiscard]] std::int32_t fixed() const { return fixed_; }
  [[nodiscard]] const std::optional<Path>& shared() const { return shared_; }

 private:
  std::int32_t fixed_ = 0;
  std::optional<Path> shared_;
};

// Grants a limited number of leases at a time, in the order of arrival; each lease is a grant of
// its own. (Curator's InterProcessSemaphoreV2 uses the same znodes: the contender that waits for a
// lease holds the mutex "<path>/locks", and every child of "<path>/leases" counts, also a foreign
// one: LockObserver::foreign_child() reports it.)
//
// acquire() resolves with a lease, or with
//   kTimedOut, kCancelled          the context ended
//   kSessionExpired, kAuthFailed, kClosing   the session is over
//   kNoNode                        one of our znodes was deleted, or the shared count is missing
//   kMarshallingError              the shared count is malformed
//   kContactLost                   the deadline came while it waited for a proof of contact
//                                  (LossPolicy)
//   kNoAuth, kInvalidAcl, kNodeExists, kPacketTooLarge, kQuotaExceeded, kWatchLimit,
//   kNoChildrenForEphemerals, kUnimplemented   as FairMutex
//   kBadArguments                  the path is malformed, there is less than one lease, the options
//                                  are not for this recipe, or it asks for less than one lease or
//                                  for more than the fixed number
// and try_acquire(), which does not wait, also with
//   kConflict                      no lease was free, or a contender waits for one or takes one
// Both survive connection losses until the context ends. On every error, and when the task is
// destroyed, the znodes that acquire() has created are deleted in the background.
//
// acquire(n) takes n leases at once: all of them or none, within one deadline. Its contender waits
// like any other for its turn, and creates all of its leases before the next contender gets a turn.
// So two that want several never wait for each other with a part of the leases each (as they do in
// Curator's acquire(qty), which leaves the mutex after every lease). Until they fit, smaller
// acquires wait too. Every lease has the data of LockOptions, which leases() reads.
//
// Server-order exclusion: when a lease is granted, no more leases exist than its holder has read as
// the limit; that needs no assumption, but lowering a shared count takes no lease from its holders.
// HeldLock says how far a lease can be trusted on the clients' clocks. Its token has no order among
// the tokens of leases held at the same time.
//
// Resumes on the session's executor. Session, semaphore and observer outlive the tasks; the session
// and the observer outlive the leases.
class Semaphore {
 public:
  Semaphore(Session& session, Path path, LeaseCount leases, LockObserver* observer = nullptr)
      : Semaphore(session, std::move(path), std::move(leases), LockOptions(), observer) {}
  // Data and ACL also apply to the znode that waits for the turn. A request to a revocable lease is
  // a request to all: revoke() of "<path>/leases" with kLeaseMarks.
  Semaphore(Session& session, Path path, LeaseCount leases, LockOptions options,
            LockObserver* observer = nullptr)
      : session_(session),
        path_(std::move(path)),
        count_(std::move(leases)),
        options_(std::move(options)),
        observer_(observer) {}

  Task<Result<HeldLock>> acquire(Context context = {}) {
    return acquire_one(One(tasks_), Patience::kWaits, std::move(context));
  }
  Task<Result<HeldLock>> try_acquire(Context context = {}) {
    return acquire_one(One(tasks_), Patience::kDoesNotWait, std::move(context));
  }
  // With a deadline that is this far from now.
  Task<Result<HeldLock>> acquire(Duration wait) { return acquire(within(executor(), wait)); }
  Task<Result<HeldLock>> try_acquire(Duration wait) {
    return try_acquire(within(executor(), wait));
  }

  // Acquires `leases` leases, all or none.
  Task<Result<HeldLocks>> acquire(std::int32_t leases, Context context = {}) {
    return acquire_several(One(tasks_), leases, Patience::kWaits, std::move(context));
  }
  Task<Result<HeldLocks>> try_acquire(std::int32_t leases, Context context = {}) {
    return acquire_several(One(tasks_), leases, Patience::kDoesNotWait, std::move(context));
  }
  Task<Result<HeldLocks>> acquire(std::int32_t leases, Duration wait) {
    return acquire(leases, within(executor(), wait));
  }
  Task<Result<HeldLocks>> try_acquire(std::int32_t leases, Duration wait) {
    return try_acquire(leases, within(executor(), wait));
  }

  // The leases with their data and Stats, perhaps including those that one contender has created
  // and for which it still waits for room; and the contenders that wait for their turn to take one,
  // the next one first: see contenders_of().
  Task<Result<std::vector<QueueEntry>>> leases(Context context = {}) {
    return contenders_of(session_, path_ / "leases", kLeaseMarks, std::move(context));
  }
  Task<Result<std::vector<QueueEntry>>> waiters(Context context = {}) {
    return contenders_of(session_, path_ / "locks", kMutexMarks, std::move(context));
  }

 private:
  using One = internal::TaskCount::One;

  [[nodiscard]] Executor& executor() const { return session_.executor(); }

  // The limit of leases, and a watch on it if it can change.
  class Capacity {
   public:
    Capacity(std::int32_t leases, Watch left) : value(leases), watch(std::move(left)) {}
    std::int32_t value;
    Watch watch;
  };

  class Leases;

  [[nodiscard]] Result<void> valid(std::int32_t leases) const;
  Task<Result<HeldLock>> acquire_one(One counted, Patience patience, Context context);
  Task<Result<HeldLocks>> acquire_several(One counted, std::int32_t leases, Patience patience,
                                          Context context);
  Task<Result<HeldLocks>> take_turn(std::int32_t leases, Patience patience, Context context);
  Task<Result<void>> wait_for_capacity(HeldLock& turn, std::int32_t leases, Patience patience,
                                       const Context& context);
  Task<Result<void>> create_leases(Leases& ours, std::int32_t leases, Context context);
  Task<Result<Zxid>> wait_for_room(HeldLock& turn, const Leases& ours, Patience patience,
                                   Context context);
  Task<Result<std::int32_t>> capacity(Context context);
  Task<Result<Capacity>> watched_capacity(Context context);

  Session& session_;
  Path path_;
  LeaseCount count_;
  LockOptions options_;
  LockObserver* observer_;
  internal::TaskCount tasks_{"a Semaphore must outlive the tasks of its acquires"};
};

}  // namespace lockstep
