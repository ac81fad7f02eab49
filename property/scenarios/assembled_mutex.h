#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "parts.h"

namespace lockstep::scenarios {

// Replaces Place, but does not delete a place that never became a grant.
class NoPlace {
 public:
  NoPlace(Session&, const Path&) {}
  NoPlace(const NoPlace&) = delete;
  NoPlace& operator=(const NoPlace&) = delete;
  ~NoPlace() = default;
  void granted() {}
};

// A fair mutex assembled from its steps, as FairMutex is from take_place, Place and wait_in_queue.
// A broken twin replaces one of them by a flawed copy. kAnyNumber also accepts a place whose number
// does not keep the order of the queue.
template <auto TakePlace, auto WaitForTurn, class OurPlace = Place, bool kAnyNumber = false>
class AssembledMutex {
 public:
  AssembledMutex(Session& session, Path lock, LockObserver* observer)
      : session_(session), lock_(std::move(lock)), observer_(observer) {}

  Task<Result<HeldLock>> acquire(Context context = {}) {
    Result<HeldLock> held = co_await queue_up(std::move(context));
    if (!held) observer_->gave_up(session_.id(), lock_, held.error());
    co_return std::move(held);
  }

 private:
  Task<Result<HeldLock>> queue_up(Context context) {
    const Created ours =
        co_await ok(TakePlace(session_, lock_, std::string(kLockMark), Data(), context));
    OurPlace place(session_, ours.path);
    if (!kAnyNumber) co_await ok(keeps_order(ours));
    observer_->place_reserved(session_.id(), lock_, ours.path);
    const Zxid evidence =
        co_await ok(WaitForTurn(session_, lock_, ours.path, observer_, std::move(context)));
    place.granted();
    GrantRecord grant(session_.id(), lock_, ours.path, ours.stat.czxid,
                      std::max(evidence, ours.stat.czxid));
    co_return HeldLock(session_, std::move(grant), observer_);
  }

  Session& session_;
  Path lock_;
  LockObserver* observer_;
};

}  // namespace lockstep::scenarios
