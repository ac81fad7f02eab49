#pragma once

#include <optional>

#include "lockstep/lock_observer.h"
#include "lockstep/result.h"
#include "lockstep/session.h"

namespace lockstep::internal {

// Tells an observer, if there is one, that an acquire is under way for as long as this lives, and
// at the end of an acquire that has failed that it was given up. For the frame of the acquire, in
// front of all that it must have let go of by then: all that it refers to outlives that.
class AcquireNotice {
 public:
  AcquireNotice(const Session& session, const Path& lock, LockObserver* observer)
      : session_(session), lock_(lock), observer_(observer) {
    if (observer_) observer_->acquire_begins(session_.id(), lock_);
  }
  AcquireNotice(const AcquireNotice&) = delete;
  AcquireNotice& operator=(const AcquireNotice&) = delete;
  ~AcquireNotice() {
    if (!observer_) return;
    if (error_) observer_->gave_up(session_.id(), lock_, *error_);
    observer_->acquire_ends(session_.id(), lock_);
  }
  // There will be no grant. What the acquire returns then.
  [[nodiscard]] std::unexpected<Error> failed(Error error) {
    error_ = error;
    return failure(error);
  }

 private:
  const Session& session_;
  const Path& lock_;
  LockObserver* observer_;
  std::optional<Error> error_;
};

}  // namespace lockstep::internal
