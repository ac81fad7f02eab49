#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lockstep/lab/lock_under_test.h"

namespace lockstep::threads {

// Code with threads of its own that uses ZooKeeper's C client, or lockstep::zookeeper, as in
// production. `body` is its main(): it starts threads and ends them, opens handles and closes them.
// It connects to "127.0.0.1:2181", or to any other address: each new one is the next simulated
// server.
//
// All executions run in one process, unless `in_forks`. Each finds libzookeeper's own variables as
// they were at the start of the process; `at_start` resets those of the code under test.
struct ThreadsUnderTest {
  std::string name;
  std::function<void()> body;
  // Runs before each execution, outside of it.
  std::function<void()> at_start = {};
  // Znodes that exist before the first step: "/locks", "/locks/a".
  std::vector<std::string> znodes = {};
  // No znode may be left below this one when all threads have ended and all sessions are over.
  std::string lock_path = {};
  fakezk::ReplicaIndex replicas = 1;
  // No other thread comes in between at the C client's own mutexes: an execution has half the
  // steps.
  bool is_coarse = false;
  // Executions run in child processes (lab::LockUnderTest::in_forks): all variables are as they
  // were, and a crash ends nothing but its child.
  bool in_forks = false;
};

// Describes it for lab::hunt_lock, lab::replay_lock and EXPECT_NO_VIOLATION. A hunt of it uses one
// job. The fault `stall` stops one thread of the code under test, and the C client's threads for
// its handles; under `clock-drift` their waits take longer or shorter by one part in 64. `crash`
// does not apply.
[[nodiscard]] lab::LockUnderTest under_test(ThreadsUnderTest threads);

}  // namespace lockstep::threads
