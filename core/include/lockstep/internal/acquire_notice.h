#pragma once

#include "lockstep/lock_observer.h"
#include "lockstep/session.h"

namespace lockstep::internal {

// Tells an observer, if there is one, that an acquire is under way for as long as this lives. For
// the frame of the acquire: all that it refers to outlives that.
class AcquireNotice {
 public:
  AcquireNotice(const Session& session, const Path& lock, LockObserver* observer)
      : session_(session), lock_(lock), observer_(observer) {
    if (observer_) observer_->acquire_begins(session_.id(), lock_);
  }
  AcquireNotice(const AcquireNotice&) = delete;
  AcquireNotice& operator=(const AcquireNotice&) = delete;
  ~AcquireNotice() {
    if (observer_) observer_->acquire_ends(session_.id(), lock_);
  }

 private:
  const Session& session_;
  const Path& lock_;
  LockObserver* observer_;
};

}  // namespace lockstep::internal
