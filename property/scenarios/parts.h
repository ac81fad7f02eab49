#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "attempt.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/guaranteed_remove.h"
#include "lockstep/held_lock.h"
#include "lockstep/lab/scenario.h"
#include "lockstep/lock_observer.h"
#include "lockstep/ok.h"
#include "lockstep/place.h"
#include "lockstep/retried.h"
#include "lockstep/sequence.h"
#include "lockstep/session.h"
#include "lockstep/sleep.h"
#include "lockstep/take_place.h"
#include "lockstep/turn.h"

// The sound parts that broken twins put around their one flaw.
namespace lockstep::scenarios {

using lab::Contender;

// Sound steps for a lock assembled from parts: take_place and wait_in_queue as FairMutex uses them,
// with arguments by value, without an ACL and without a deadline.
Task<Result<Created>> sound_create(Session& session, Path parent, std::string mark, Data data,
                                   Context context);
Task<Result<Zxid>> sound_wait(Session& session, Path lock, Path ours, LockObserver* observer,
                              Context context);

// Acquires like FairMutex and reports the grant, but leaves the grant to its caller: broken twins
// do parts of HeldLock themselves.
Task<Result<GrantRecord>> queue_up(Session& session, Path lock, LockObserver& observer,
                                   Context context = Context());

// The same; also reports the attempt to the oracles.
Task<Result<GrantRecord>> acquire(Contender& self, Session& session, Path lock);

// A new GUID with which the name of a place begins.
[[nodiscard]] std::string new_guid(Session& session);

// Takes a place with any number. If the outcome of a create is unknown, repeats it under another
// GUID, and deletes the first one in the background.
Task<Result<Created>> create_anyhow(Session& session, Path parent, std::string mark, Data data,
                                    Context context);

// kNodeExists at the end of the sequence numbers: the server then repeats the last one.
[[nodiscard]] Result<void> keeps_order(const Created& created);

// Deletes a znode through any number of connection losses. kNoNode after a lost reply is success.
Task<Result<void>> remove_surely(Session& session, Path znode);

// Releases what acquire() has given, and reports the outcome.
Task<void> release(Contender& self, Session& session, GrantRecord grant);

// The contender whose name has the smallest number; empty if there is none.
[[nodiscard]] std::string_view first_of(const Children& queue, std::string_view mark = kLockMark);

}  // namespace lockstep::scenarios
