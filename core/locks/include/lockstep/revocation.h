#pragma once

#include <string_view>

#include "lockstep/ok.h"
#include "lockstep/sequence.h"
#include "lockstep/session.h"

namespace lockstep {

// The data that asks a holder to release its lock, on its znode (Curator's Revoker).
inline constexpr std::string_view kRevokeRequest = "__REVOKE__";

// Asks all holders of `lock`, such as several readers, to release it, from any process; each
// decides by itself how to react, within its grace period (LockOptions). Resolves once all have
// been asked. If all of them leave before, it asks those that hold then. It survives connection
// losses by asking again. Errors: kNoNode if the lock has no holder, kNoAuth if a holder's ACL
// forbids it, those of Session::connected(). Resumes on the session's executor.
Task<Result<void>> revoke(Session& session, Path lock, Marks marks, Context context = {});
// In a queue of exclusive contenders.
[[nodiscard]] inline Task<Result<void>> revoke(Session& session, Path lock, Context context = {}) {
  return revoke(session, std::move(lock), kMutexMarks, std::move(context));
}

}  // namespace lockstep
