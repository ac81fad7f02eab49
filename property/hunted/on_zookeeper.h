#pragma once

#include <string_view>

#include "lockstep/lab/lock_under_test.h"

namespace lockstep::hunted {

// The same contenders on the production backend in the simulated world: each has a
// zookeeper::Runtime and a zookeeper::Client, with the C client and its threads. All oracles judge
// it except liveness at every rest (L1 is judged at the end, and as "deadlock"), because the C
// client waits by its own timers. A contender that crashes begins again with its first round. With
// a drifting clock, the waits of its threads are longer or shorter by one part in 64.
//
// Its name is the lock's with kSuffix, so that replay strings distinguish the two.
[[nodiscard]] lab::LockUnderTest on_zookeeper(const lab::LockUnderTest& lock,
                                              bool is_coarse = false);
inline constexpr std::string_view kSuffix = "+zookeeper";

}  // namespace lockstep::hunted
