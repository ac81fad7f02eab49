#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_45 {

// Waits to be told (made up, after ZooKeeper's own warning that a partitioned client is never told
// of its expiry): a holder promises to stop before anybody else can hold, and relies on the server
// to tell it when. Behind a partition the server tells nobody, and gives the lock to the next one.
// Correct: lockstep::LossPolicy::kOwnClock, a loss by the holder's own clock.
Task<void> contend(Contender& self, Path lock, std::uint32_t rounds);

}  // namespace lockstep::scenarios::zoo_45
