#pragma once

#include "parts.h"

namespace lockstep::scenarios::textbook_a {

// The fair lock over ZkClient that tutorials print: a znode per thread, a listener on the one in
// front, a latch. Three flaws, each of which can be mended alone.
struct Flaws {
  // The listener counts down a latch that is made only after the last look at the predecessor: an
  // event in between finds none, and nobody wakes the thread. Correct: the latch comes first, as
  // the Watch does in lockstep::wait_for_turn.
  bool latch = false;
  // ZkClient opens a new session by itself; the own znode is not in the list then, and the search
  // for it gives a negative index. Correct: lockstep::position_of says kNoNode.
  bool index = false;
  // unlock() deletes a remembered path, whatever has become of the session, and takes "not there"
  // for success. Correct: HeldLock::release says kAlreadyLost.
  bool release = false;
};

Task<void> contend_with(Contender& self, Path lock, std::uint32_t rounds, Flaws flaws);

template <Flaws kFlaws>
Task<void> contend(Contender& self, Path lock, std::uint32_t rounds) {
  return contend_with(self, std::move(lock), rounds, kFlaws);
}

}  // namespace lockstep::scenarios::textbook_a
