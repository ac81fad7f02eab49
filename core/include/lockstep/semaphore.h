#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lockstep/contenders.h"
#include "lockstep/held_lock.h"
#include "lockstep/lock_observer.h"
#include "lockstep/ok.h"
#include "lockstep/session.h"
#include "lockstep/turn.h"
#include "lockstep/watch.h"
#include "lockstep/within.h"

namespace lockstep {

// At most so many leases at a time, granted in the order of arrival; each lease is a grant of its
// own. (Curator's InterProcessSemaphoreV2 uses the same znodes: whoever waits for a lease holds the
// mutex "<path>/locks", and everything in "<path>/leases" counts.)
//
// acquire() resolves with a lease, or with
//   kTimedOut, kCancelled          the context ended
//   kSessionExpired, kAuthFailed, kClosing   the session is over
//   kNoNode                        one of our znodes was deleted, or the shared count is missing
//   kMarshallingError              the shared count is no count
//   kBadArguments                  the path is malformed, or there are less than one lease
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
  // `leases`: the same number for everybody who uses this path.
  Semaphore(Session& session, Path path, std::int32_t leases, LockObserver* observer = nullptr)
      : Semaphore(session, std::move(path), leases, std::nullopt, observer) {}
  // As many as the znode `count` says (see set_shared_count), which may change while others wait.
  // It lies outside of `path`.
  Semaphore(Session& session, Path path, Path count, LockObserver* observer = nullptr)
      : Semaphore(session, std::move(path), 0, std::move(count), observer) {}

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
  Semaphore(Session& session, Path path, std::int32_t fixed, std::optional<Path> count,
            LockObserver* observer)
      : session_(session),
        path_(std::move(path)),
        fixed_(fixed),
        count_(std::move(count)),
        observer_(observer) {}

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
  std::int32_t fixed_;
  std::optional<Path> count_;
  LockObserver* observer_;
};

}  // namespace lockstep
