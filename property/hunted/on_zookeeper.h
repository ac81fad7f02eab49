#pragma once

#include <string_view>

#include "lockstep/lab/lock_under_test.h"

namespace lockstep::hunted {

// The same contenders on the production backend: each has a zookeeper::Runtime and a
// zookeeper::Client, with the C client and its threads, in the simulated world. All oracles judge
// it except liveness at every rest (L1 is judged at the end, and as "deadlock"), because the C
// client waits by timers of its own. A contender that crashes begins again, from its first round.
// With a drifting clock, the waits of its threads take longer or shorter by one part in 64.
//
// Its name is the lock's with kSuffix, so that replay strings tell both apart.
[[nodiscard]] lab::LockUnderTest on_zookeeper(const lab::LockUnderTest& lock,
                                              bool is_coarse = false);
inline constexpr std::string_view kSuffix = "+zookeeper";

}  // namespace lockstep::hunted
