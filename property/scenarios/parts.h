#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

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

// The sound parts that broken twins share around their one flaw.
namespace lockstep::scenarios {

using lab::Contender;

// Tells the oracles that an acquire of this contender is under way, for as long as it lives.
class Attempt {
 public:
  Attempt(Contender& self, SessionId session, const Context& context = Context())
      : self_(self), session_(session) {
    self_.oracles().acquiring(session_, self_.client().process().index(), context.deadline());
  }
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  ~Attempt() { self_.oracles().resolved(session_); }

 private:
  Contender& self_;
  SessionId session_;
};

// The sound steps of a lock that is put together from parts: take_place and wait_in_queue, with
// arguments by value. As FairMutex does them, without an ACL and for as long as it takes.
Task<Result<Created>> sound_create(Session& session, Path parent, std::string mark, Data data,
                                   Context context);
Task<Result<Zxid>> sound_wait(Session& session, Path lock, Path ours, LockObserver* observer,
                              Context context);

// Acquires as FairMutex does, and reports the grant, but leaves to its caller what becomes of the
// grant: the parts of HeldLock that a broken twin does by itself.
Task<Result<GrantRecord>> queue_up(Session& session, Path lock, LockObserver& observer,
                                   Context context = Context());

// The same, and tells the oracles that this contender tries.
Task<Result<GrantRecord>> acquire(Contender& self, Session& session, Path lock);

// Takes a place, whatever number it has. If it is unknown whether a create was applied, it is
// repeated under another GUID, and the first one is deleted in the background.
Task<Result<Created>> create_anyhow(Session& session, Path parent, std::string mark, Data data,
                                    Context context);

// kNodeExists if the sequence numbers have come to their end: the server gives the last one again
// and again.
[[nodiscard]] Result<void> keeps_order(const Created& created);

// Deletes a znode through any number of connection losses. kNoNode after a lost reply is success.
Task<Result<void>> remove_surely(Session& session, Path znode);

// The contender whose name comes first by number; empty if there is none.
[[nodiscard]] std::string_view first_of(const Children& queue, std::string_view mark = kLockMark);

}  // namespace lockstep::scenarios
