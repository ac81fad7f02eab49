#pragma once

#include <string>

#include "lockstep/data.h"
#include "lockstep/internal/cleanup.h"
#include "lockstep/ok.h"
#include "lockstep/path.h"
#include "lockstep/session.h"

namespace lockstep {

// Deletes one of our znodes in the background, through connection losses and throttling, until it
// is gone or the session is over (an ephemeral goes with its session). Returns at once. Curator:
// "guaranteed delete". `end` is destroyed when that is so.
void remove_guaranteed(Session& session, Path znode,
                       internal::CleanupEnd end = internal::CleanupEnd());

// The same for a contender of which only the GUID is known, because the reply to its create was
// lost: every child of `parent` whose name begins with `guid`. It syncs before it lists, so that
// the list includes a create that was still in flight.
void remove_guaranteed_by_guid(Session& session, Path parent, std::string guid,
                               internal::CleanupEnd end = internal::CleanupEnd());

// The same for a znode whose name other clients use too: ours belongs to this session and has the
// unique data `own_data`.
void remove_guaranteed_if_ours(Session& session, Path znode, Data own_data);
// One of these two: `own_data` is null if no other client uses the znode's name.
void remove_left(Session& session, Path znode, Data own_data);
// One attempt of remove_guaranteed_if_ours(). Also succeeds if the znode is gone or is not ours.
// Errors: those of Session::sync, get_data and remove. Resumes on the session's executor.
Task<Result<void>> remove_if_ours(Session& session, Path znode, Data own_data, Context context);

}  // namespace lockstep
