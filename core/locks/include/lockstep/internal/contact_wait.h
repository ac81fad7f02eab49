#pragma once

#include "lockstep/context.h"
#include "lockstep/loss_policy.h"
#include "lockstep/result.h"
#include "lockstep/session.h"
#include "lockstep/task.h"

namespace lockstep::internal {

// True if a grant would be lost at once, because the client cannot be sure that its session lives.
// While connected, this happens only after this process has not run for about a session timeout,
// and lasts until the servers have answered for a quarter of that time.
[[nodiscard]] inline bool loses_at_once(const Session& session, LossPolicy loss) {
  const Contact contact = session.contact();
  if (contact == Contact::kSure || loss == LossPolicy::kServerNotice) return false;
  return contact == Contact::kOver || loss == LossPolicy::kOnSuspicion;
}

// Waits until a grant would not be lost at once. Without that, contenders that come back after a
// loss would take and lose the lock as fast as the servers answer. Errors: kContactLost at the
// deadline, kCancelled, the end of the session. Resumes on the session's executor.
[[nodiscard]] Task<Result<void>> wait_for_contact(Session& session, LossPolicy loss,
                                                  Context context);

}  // namespace lockstep::internal
