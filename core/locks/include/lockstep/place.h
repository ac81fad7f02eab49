#pragma once

#include <utility>

#include "lockstep/guaranteed_remove.h"
#include "lockstep/held_lock.h"
#include "lockstep/internal/cleanup.h"
#include "lockstep/lock_observer.h"
#include "lockstep/session.h"

namespace lockstep {

// A place in a queue that has not become a grant yet. If it never does, for any reason (an error, a
// cancelled task, a coroutine that is destroyed while it waits), its observer hears of it, and its
// znode is deleted in the background unless the session is over. The session and the observer
// outlive it. `end` goes with the duty to delete the znode.
class Place {
 public:
  Place(Session& session, Path znode, LockObserver* observer = nullptr,
        internal::CleanupEnd end = internal::CleanupEnd())
      : session_(session), znode_(std::move(znode)), observer_(observer), end_(std::move(end)) {}
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() {
    if (granted_) return;
    if (observer_) observer_->place_given_up(session_.id(), znode_);
    if (!is_over(session_.state())) remove_guaranteed(session_, std::move(znode_), std::move(end_));
  }
  [[nodiscard]] const Path& znode() const { return znode_; }
  // Makes it a grant, whose znode is this one. Until there is a grant, the znode is the place's: an
  // exception, such as std::bad_alloc, leaves no znode behind. (Deleting it in the background takes
  // memory, too: if that is refused, the process ends.)
  [[nodiscard]] HeldLock grant(GrantRecord&& record, LockObserver* observer,
                               GrantOptions&& options) {
    HeldLock held(session_, std::move(record), observer, std::move(options));
    granted_ = true;
    return held;
  }
  // Hands the znode over to the caller, who deletes it from here on.
  Path&& granted() {
    granted_ = true;
    return std::move(znode_);
  }
  internal::CleanupEnd end() { return std::move(end_); }

 private:
  Session& session_;
  Path znode_;
  LockObserver* observer_;
  bool granted_ = false;
  internal::CleanupEnd end_;
};

}  // namespace lockstep
