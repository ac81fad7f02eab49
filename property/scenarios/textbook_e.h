#pragma once

#include "parts.h"

namespace lockstep::scenarios::textbook_e {

// The simplified reentrant mutex: wait and notify under a monitor, a counter for re-entry. Each
// flaw can be mended alone.
struct Flaws {
  // Each wake restarts the whole timeout. Correct: one deadline.
  bool timeout = false;
  // Who gives up leaves its znode in the queue. Correct: lockstep::Place.
  bool znode = false;
  // notifyAll() outside the monitor: it may come between the waiter's look and its wait(). Correct:
  // the notice is kept, as in a Watch.
  bool notify = false;
  // The own znode is not in the list: index -1, taken for the first place. Correct: kNoNode.
  bool index = false;
  // Re-entry counts, and does not look whether the lock is still held. Correct: it fails.
  bool reentry = false;
};

Task<void> contend_with(Contender& self, Path lock, std::uint32_t rounds, Flaws flaws);

template <Flaws kFlaws>
Task<void> contend(Contender& self, Path lock, std::uint32_t rounds) {
  return contend_with(self, std::move(lock), rounds, kFlaws);
}

}  // namespace lockstep::scenarios::textbook_e
