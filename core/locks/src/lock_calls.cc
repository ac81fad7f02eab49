#include "lockstep/internal/lock_calls.h"

namespace lockstep::internal {

void LockCalls::must_be_taken(const Attempt& attempt, const char* what) const {
  if (attempt.result) return;
  if (attempt.result.error() != Error::kConflict) fail_for(attempt, what);
  throw blocking::LockError(std::make_error_code(std::errc::resource_deadlock_would_occur), what,
                            lock_, "the caller holds it already");
}

bool LockCalls::taken_in_time(const Attempt& attempt, const char* what) const {
  if (attempt.result) return true;
  const Error error = attempt.result.error();
  if (error == Error::kConflict || error == Error::kTimedOut) return false;
  fail_for(attempt, what);
}

bool LockCalls::taken_at_once(const Attempt& attempt, const char* what) const {
  if (attempt.result) return true;
  const Error error = attempt.result.error();
  if (error == Error::kConflict) return false;
  if (error == Error::kTimedOut) fail(Error::kOperationTimeout, what);
  fail_for(attempt, what);
}

void LockCalls::fail(Error error, const char* what) const {
  throw blocking::LockError(error, what, lock_);
}

void LockCalls::fail_for(const Attempt& attempt, const char* what) const {
  throw blocking::LockError(attempt.result.error(), what, lock_, attempt.last_failure);
}

}  // namespace lockstep::internal
