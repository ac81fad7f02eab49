// Sequence overflow (kazoo#606, kazoo#730, ZOOKEEPER-4372): at the end of the sequence the server
// gives the last number again and again, and all contenders that share it are first. Correct:
// lockstep::take_place refuses such a place.
#include "scenarios/broken_lock.h"
#include "scenarios/long_tasks.h"

namespace lockstep::scenarios::zoo_25 {

namespace {

using Mutex = AssembledMutex<&create_anyhow, &sound_wait, Place, true>;

const Registered kRegistered{
    Scenario{"zoo-25-sequence-overflow", "zoo", "S1",
             "Shares the last sequence number with another contender, and both are first.",
             lab::ScenarioSize{3, 1}, &in_each_round<&hold_for_a_long_task<Mutex>>,
             "kazoo#606, kazoo#730, ZOOKEEPER-4372"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_25
