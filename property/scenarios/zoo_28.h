#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_28 {

// Foreign children count (CURATOR-43): whatever lies under the lock's path is taken for a
// contender, here a note that an operator has left there, and which never goes away. Correct:
// lockstep::position_of, which ignores what does not carry the mark.
Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context);

// A is an operator too: having had the lock, A leaves a note.
Task<void> leave_a_note(Contender& self, Path lock);

// Contends with that Mutex.
template <class Mutex>
Task<void> contend(Contender& self, Path lock, std::uint32_t rounds) {
  co_await lab::contend_briefly_for<Mutex>(self, lock, rounds);
  if (self.client().name() == "A") co_await leave_a_note(self, lock);
}

}  // namespace lockstep::scenarios::zoo_28
