#pragma once

#include <string_view>

#include "lockstep/ok.h"
#include "lockstep/sequence.h"
#include "lockstep/session.h"

namespace lockstep {

// The data that asks a holder to give its lock up, on its znode (Curator's Revoker).
inline constexpr std::string_view kRevokeRequest = "__REVOKE__";

// Asks whoever holds `lock` to give it up, from any process; what the holder does about it is its
// own business, within the grace period that it has set (LockOptions). Readers that hold together
// are all asked. Resolves once they have been asked. Connection losses are ridden out, by asking
// again. Errors: kNoNode if nobody holds the lock, kNoAuth if a holder does not let us, those of
// Session::connected(). Resumes on the session's executor.
Task<Result<void>> revoke(Session& session, Path lock, Marks marks, Context context = {});
// In a queue of exclusive contenders.
[[nodiscard]] inline Task<Result<void>> revoke(Session& session, Path lock, Context context = {}) {
  return revoke(session, std::move(lock), kMutexMarks, std::move(context));
}

}  // namespace lockstep
