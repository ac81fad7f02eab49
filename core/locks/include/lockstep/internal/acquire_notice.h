#pragma once

#include <optional>

#include "lockstep/lock_observer.h"
#include "lockstep/result.h"
#include "lockstep/session.h"

namespace lockstep::internal {

// Notifies an observer, if there is one, that an acquire is in progress as long as this lives, and
// that it was given up if it fails. Belongs in the acquire's frame, declared before all objects
// that must be destroyed before the end is reported; everything that it refers to outlives it.
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
  // Records that there will be no grant. The acquire returns the result of this.
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
