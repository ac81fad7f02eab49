#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_27 {

// The downgrade's gap (CURATOR-276, CURATOR-621): a writer takes a read lock, whose znode queues up
// behind the next writer, and gives the write lock back: that writer enters beside the reader.
// Correct: ReadWriteLock::downgrade, whose reader inherits the writer's number. A downgrades, the
// others write.
Task<void> contend(Contender& self, Path lock, std::uint32_t rounds);

}  // namespace lockstep::scenarios::zoo_27
