#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_26 {

// Readers and writers watch each other (kazoo#649): a reader waits for every writer in the queue,
// also for those behind it, and they wait for the reader. Correct: lockstep::blocks, which looks at
// who stands in front. Every second client is a reader.
Task<void> contend(Contender& self, Path lock, std::uint32_t rounds);

}  // namespace lockstep::scenarios::zoo_26
