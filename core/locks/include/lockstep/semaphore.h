#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "lockstep/contenders.h"
#include "lockstep/held_lock.h"
#include "lockstep/lock_observer.h"
#include "lockstep/lock_options.h"
#include "lockstep/ok.h"
#include "lockstep/session.h"
#include "lockstep/turn.h"
#include "lockstep/watch.h"
#include "lockstep/within.h"

namespace lockstep {

// How many leases a semaphore has.
class LeaseCount {
 public:
  // The same number for everybody who uses the semaphore.
  LeaseCount(std::int32_t leases) : fixed_(leases) {}  // NOLINT: a number is one
  // As many as the znode at this path says (see set_shared_count), which may change while others
  // wait. It lies outside of the semaphore's path.
  template <std::convertible_to<Path> P>
  LeaseCount(P&& count)  // NOLINT: where the number is to be found
      : shared_(std::forward<P>(count)) {}

  [[nodiscard]] std::int32_t fixed() const { return fixed_; }
  [[nodiscard]] const std::optional<Path>& shared() const { return shared_; }

 private:
  std::int32_t fixed_ = 0;
  std::optional<Path> shared_;
};

// At most so many leases at a time, granted in the order of arrival; each lease is a grant of its
// own. (Curator's InterProcessSemaphoreV2 uses the same znodes: whoever waits for a lease holds the
// mutex "<path>/locks", and everything in "<path>/leases" counts.)
//
// acquire() resolves with a lease, or with
//   kTimedOut, kCancelled          the context ended
//   kSessionExpired, kAuthFailed, kClosing   the session is over
//   kNoNode                        one of our znodes was deleted, or the shared count is missing
//   kMarshallingError              the shared count is no count
//   kBadArguments                  the path is malformed, there are less than one lease, or the
//                                  options are not for this recipe
// and try_acquire(), which waits for nobody, also with
//   kConflict                      no lease was free, or somebody waits for one, or just takes one
// Connection losses are ridden out until the context ends. On every error, and when the task is
// destroyed, what acquire() has created is deleted in the background.
//
// Server-order exclusion: when a lease is granted, no more leases exist than its holder believed
// there may be; that needs no assumption, but a count that is shared and lowered takes nothing from
// those who hold already. What a lease is worth on the clients' clocks: see HeldLock. Its token is
// not ordered among the tokens of leases held at the same time.
//
// Resumes on the session's executor. Session, semaphore and observer outlive the tasks; the session
// and the observer outlive the leases.
class Semaphore {
 public:
  Semaphore(Session& session, Path path, LeaseCount leases, LockObserver* observer = nullptr)
      : Semaphore(session, std::move(path), std::move(leases), LockOptions(), observer) {}
  // Data and ACL are also those of the znode with which it waits for its turn. Who asks for a
  // revocable lease asks for all: revoke() of "<path>/leases" with kLeaseMarks.
  Semaphore(Session& session, Path path, LeaseCount leases, LockOptions options,
            LockObserver* observer = nullptr)
      : session_(session),
        path_(std::move(path)),
        count_(std::move(leases)),
        options_(std::move(options)),
        observer_(observer) {}

  Task<Result<HeldLock>> acquire(Context context = {}) {
    return acquire(Patience::kWaits, std::move(context));
  }
  Task<Result<HeldLock>> try_acquire(Context context = {}) {
    return acquire(Patience::kDoesNotWait, std::move(context));
  }
  // Within that time, from now on.
  Task<Result<HeldLock>> acquire(Duration wait) { return acquire(within(executor(), wait)); }
  Task<Result<HeldLock>> try_acquire(Duration wait) {
    return try_acquire(within(executor(), wait));
  }

  // The leases that are held, and perhaps one that waits for room, with their Stats; and who waits
  // for its turn to take one, whoever takes one first: see contenders_of().
  Task<Result<std::vector<QueueEntry>>> leases(Context context = {}) {
    return contenders_of(session_, path_ / "leases", kLeaseMarks, std::move(context));
  }
  Task<Result<std::vector<QueueEntry>>> waiters(Context context = {}) {
    return contenders_of(session_, path_ / "locks", kMutexMarks, std::move(context));
  }

 private:
  [[nodiscard]] Executor& executor() const { return session_.executor(); }

  // How many leases there may be, and a watch on that if it can change.
  class Capacity {
   public:
    Capacity(std::int32_t leases, Watch left) : value(leases), watch(std::move(left)) {}
    std::int32_t value;
    Watch watch;
  };

  Task<Result<HeldLock>> acquire(Patience patience, Context context);
  Task<Result<HeldLock>> take_turn(Patience patience, Context context);
  Task<Result<HeldLock>> take_lease(HeldLock& turn, Patience patience, Context context);
  Task<Result<Zxid>> wait_for_room(HeldLock& turn, Path ours, Patience patience, Context context);
  Task<Result<std::int32_t>> capacity(Context context);
  Task<Result<Capacity>> watched_capacity(Context context);

  Session& session_;
  Path path_;
  LeaseCount count_;
  LockOptions options_;
  LockObserver* observer_;
};

}  // namespace lockstep
