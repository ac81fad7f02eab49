// Timeout leaves a waiter's znode (zk-ruby#49, #51): an acquire that gives up leaves its znode in
// the queue. When that znode reaches the head, no client uses the lock. Correct: FairMutex, which
// is this lock with lockstep::Place.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_14 {

namespace {

using Mutex = AssembledMutex<&sound_create, &sound_wait, NoPlace>;

const Registered kRegistered{Scenario{"zoo-14-timeout-leaves-waiter", "zoo", "S5",
                                      "Gives up waiting, and leaves its znode in the queue.",
                                      lab::ScenarioSize{2, 1}, &lock_scenario<Mutex, kImpatient>,
                                      "zk-ruby#49, zk-ruby#51"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_14
