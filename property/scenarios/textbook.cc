#include <array>

#include "assembled_mutex.h"
#include "registry.h"
#include "textbook_a.h"
#include "textbook_b.h"
#include "textbook_c.h"
#include "textbook_d.h"
#include "textbook_e.h"

namespace lockstep::scenarios {

namespace {

constexpr auto kImpatient = lab::LastContender::kImpatient;

using a = textbook_a::Flaws;
using e = textbook_e::Flaws;
using b = textbook_b::Sale;

// A timed acquire that gives up and goes home; its znode stays and waits (the fair lock of
// textbook B). Correct: FairMutex, which is the same with lockstep::Place.
using TimedOut = AssembledMutex<&protected_create, &wait_for_turn, NoPlace>;
using Polling = AssembledMutex<&protected_create, &textbook_c::poll>;
using Orphaned = AssembledMutex<&textbook_c::create, &wait_for_turn>;

constexpr std::array kTextbook = {
    Scenario{"textbook-a", "textbook", "L1",
             "The fair lock over ZkClient: its main flaw, as textbook-a-latch.",
             lab::ScenarioSize{2, 1}, &contenders<&textbook_a::contend<a{.latch = true}>>,
             "tutorial A"},
    Scenario{"textbook-a-latch", "textbook", "L1",
             "Makes the latch after its last look: an event in between finds none.",
             lab::ScenarioSize{2, 1}, &contenders<&textbook_a::contend<a{.latch = true}>>,
             "tutorial A"},
    Scenario{"textbook-a-index", "textbook", "crash",
             "Does not find its own znode, and goes on with a negative index.",
             lab::ScenarioSize{2, 1}, &contenders<&textbook_a::contend<a{.index = true}>>,
             "tutorial A"},
    Scenario{"textbook-a-release", "textbook", "R2",
             "Deletes a remembered path, and takes a lost lock for a released one.",
             lab::ScenarioSize{2, 1}, &contenders<&textbook_a::contend<a{.release = true}>>,
             "tutorial A"},
    Scenario{"textbook-b", "textbook", "user:oversold",
             "The lock of a flash sale: its main flaw, as textbook-b-oversell.",
             lab::ScenarioSize{2, 1}, &contenders<&textbook_b::sell<b{true}>>, "tutorial B"},
    Scenario{"textbook-b-herd", "textbook", "L3",
             "All waiters watch one znode: every release wakes everybody.", lab::ScenarioSize{3, 1},
             &contenders<&textbook_b::contend_in_a_herd>, "tutorial B"},
    Scenario{"textbook-b-oversell", "textbook", "user:oversold",
             "Looks at the stock outside the lock, and sells inside.", lab::ScenarioSize{2, 1},
             &contenders<&textbook_b::sell<b{true}>>, "tutorial B"},
    Scenario{"textbook-b-timeout", "textbook", "S5",
             "Gives up a timed acquire, and leaves its znode in the queue.",
             lab::ScenarioSize{3, 1}, &lock_scenario<TimedOut, kImpatient>, "tutorial B"},
    Scenario{"textbook-c", "textbook", "S5",
             "Ten executors by ten tasks: its main flaw, as textbook-c-orphan.",
             lab::ScenarioSize{2, 1}, &lock_scenario<Orphaned>, "tutorial C"},
    Scenario{"textbook-c-polling", "textbook", "livelock",
             "Reads the whole queue once a second until it is first.", lab::ScenarioSize{2, 1},
             &contenders<&textbook_c::work<Polling>>, "tutorial C", true},
    Scenario{"textbook-c-orphan", "textbook", "S5",
             "Takes a lost reply for a failure, and leaves behind what it has created.",
             lab::ScenarioSize{2, 1}, &lock_scenario<Orphaned>, "tutorial C"},
    Scenario{"textbook-c-parent", "textbook", "crash",
             "Swallows why it could not create the folder, and fails at the first create in it.",
             lab::ScenarioSize{2, 1}, &contenders<&textbook_c::work_in_folder>, "tutorial C"},
    Scenario{"textbook-d", "textbook", "S1",
             "The recipe with a client id in the data: its main flaw, as textbook-d-identity.",
             lab::ScenarioSize{1, 1}, &contenders<&textbook_d::contend>, "tutorial D"},
    Scenario{"textbook-d-identity", "textbook", "S1",
             "Finds its znode by a client id, which two acquires of one client share.",
             lab::ScenarioSize{1, 1}, &contenders<&textbook_d::contend>, "tutorial D"},
    Scenario{"textbook-d-recursion", "textbook", "crash",
             "Calls itself when something goes wrong, also when all goes wrong at once.",
             lab::ScenarioSize{2, 1}, &contenders<&textbook_d::contend_recursively>, "tutorial D"},
    Scenario{"textbook-e", "textbook", "L4",
             "The simplified reentrant mutex: its main flaw, as textbook-e-timeout.",
             lab::ScenarioSize{3, 1},
             &contenders<&textbook_e::contend<e{.timeout = true}>, kImpatient>, "tutorial E"},
    Scenario{"textbook-e-timeout", "textbook", "L4", "Restarts its timeout with every wake.",
             lab::ScenarioSize{3, 1},
             &contenders<&textbook_e::contend<e{.timeout = true}>, kImpatient>, "tutorial E"},
    Scenario{"textbook-e-znode", "textbook", "S5",
             "Gives up waiting, and leaves its znode in the queue.", lab::ScenarioSize{2, 1},
             &contenders<&textbook_e::contend<e{.znode = true}>, kImpatient>, "tutorial E"},
    Scenario{"textbook-e-notify", "textbook", "L1",
             "Notifies outside the monitor, before the waiter waits.", lab::ScenarioSize{2, 1},
             &contenders<&textbook_e::contend<e{.notify = true}>>, "tutorial E"},
    Scenario{"textbook-e-index", "textbook", "S1",
             "Does not find its own znode, and takes that for the first place.",
             lab::ScenarioSize{2, 1}, &contenders<&textbook_e::contend<e{.index = true}>>,
             "tutorial E"},
    Scenario{"textbook-e-reentry", "textbook", "S2",
             "Enters once more what it has lost in the meantime.", lab::ScenarioSize{2, 1},
             &contenders<&textbook_e::contend<e{.reentry = true}>>, "tutorial E"},
};

}  // namespace

std::span<const Scenario> textbook_locks() { return kTextbook; }

}  // namespace lockstep::scenarios
