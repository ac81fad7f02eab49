#include <array>

#include "assembled_mutex.h"
#include "leftovers.h"
#include "registry.h"
#include "textbook_c.h"
#include "zoo_01.h"
#include "zoo_02.h"
#include "zoo_03.h"
#include "zoo_04.h"
#include "zoo_05.h"
#include "zoo_06.h"
#include "zoo_07.h"
#include "zoo_08.h"
#include "zoo_09.h"
#include "zoo_10.h"
#include "zoo_11.h"
#include "zoo_12.h"
#include "zoo_13.h"
#include "zoo_15.h"
#include "zoo_16.h"
#include "zoo_17.h"
#include "zoo_18.h"
#include "zoo_19.h"
#include "zoo_21.h"
#include "zoo_22.h"
#include "zoo_23.h"
#include "zoo_24.h"
#include "zoo_26.h"
#include "zoo_27.h"
#include "zoo_28.h"
#include "zoo_29.h"
#include "zoo_30.h"
#include "zoo_31.h"
#include "zoo_32.h"
#include "zoo_33.h"
#include "zoo_34.h"
#include "zoo_35.h"
#include "zoo_36.h"
#include "zoo_37.h"
#include "zoo_38.h"
#include "zoo_39.h"
#include "zoo_40.h"
#include "zoo_41.h"
#include "zoo_42.h"
#include "zoo_43.h"
#include "zoo_44.h"
#include "zoo_45.h"
#include "zoo_46.h"
#include "zoo_47.h"

namespace lockstep::scenarios {

namespace {

constexpr auto kImpatient = lab::LastContender::kImpatient;
constexpr auto kPatient = lab::LastContender::kPatient;

// A fair mutex with one flawed step.
template <auto WaitForTurn>
using Waiting = AssembledMutex<&protected_create, WaitForTurn>;
template <auto TakePlace>
using Creating = AssembledMutex<TakePlace, &wait_for_turn>;

using Zoo12 = AssembledMutex<&protected_create, &zoo_12::wait_for_turn, NoPlace>;
// Timeout leaves a waiter's znode (zk-ruby#49, #51): an acquire that gives up leaves its znode in
// the queue, where it reaches the head some day, with nobody behind it. Correct: FairMutex, which
// is the same with lockstep::Place.
using Zoo14 = AssembledMutex<&protected_create, &wait_for_turn, NoPlace>;
using Zoo15 = AssembledMutex<&protected_create, &zoo_15::try_turn, zoo_15::SwallowingPlace>;

// Sequence overflow (kazoo#606, kazoo#730, ZOOKEEPER-4372): at the end of the sequence the server
// gives the last number again and again, and contenders who have it in common are all first.
// Correct: lockstep::protected_create, which refuses such a place.
using Zoo25 = AssembledMutex<&create_anyhow, &wait_for_turn, Place, true>;

using Zoo46 = AssembledMutex<&protected_create, &wait_for_turn, zoo_46::TimedPlace>;

// With other rules than those of a mutex, or on several servers.
template <lab::LockScenario::Contend kContend>
lab::LockUnderTest readers_and_writers() {
  return contention(kContend, kPatient, judge::read_write_rules());
}
template <lab::LockScenario::Contend kContend>
lab::LockUnderTest two_leases() {
  return contention(kContend, kPatient, judge::semaphore_rules(2));
}
template <class Mutex>
lab::LockUnderTest on_three_servers() {
  return contention(&lab::contend_briefly_for<Mutex>, kPatient, judge::mutex_rules(), 3);
}

constexpr std::array kZoo = {
    Scenario{"zoo-01-wait-after-missing-predecessor", "zoo", "L1",
             "Waits for a predecessor that was deleted before the watch was registered.",
             lab::ScenarioSize{2, 1}, &lock_scenario<Waiting<&zoo_01::wait_for_turn>>,
             "apache/helix#44"},
    Scenario{"zoo-02-creation-watch-leak", "zoo", "user:leaked-watch",
             "Leaves a watch for the creation of a name that never comes back.",
             lab::ScenarioSize{2, 1},
             &lock_scenario<Waiting<&zoo_02::wait_for_turn>, kPatient, &no_watch_is_left>,
             "kazoo#490, CURATOR-107"},
    Scenario{"zoo-03-stale-wake-flag", "zoo", "livelock",
             "Never clears the flag that woke it, and reads the queue in a loop.",
             lab::ScenarioSize{3, 1}, &lock_scenario<Waiting<&zoo_03::wait_for_turn>>, "kazoo#26"},
    Scenario{"zoo-04-wake-missed-across-reconnect", "zoo", "L1",
             "Sets its watch again after a reconnect without looking whether it comes too late.",
             lab::ScenarioSize{2, 1}, &lock_scenario<Waiting<&zoo_04::wait_for_turn>>, "kazoo#170"},
    Scenario{"zoo-05-monitor-held-during-retry", "zoo", "L1",
             "Holds the monitor that the news of the reconnect needs, and waits for that news.",
             lab::ScenarioSize{2, 1}, &lock_scenario<Waiting<&zoo_05::wait_for_turn>>,
             "CURATOR-495"},
    Scenario{"zoo-06-capacity-not-signalled", "zoo", "L1",
             "Does not hear that the semaphore it waits for has become larger.",
             lab::ScenarioSize{2, 1}, &two_leases<&zoo_06::contend>, "CURATOR-75"},
    Scenario{"zoo-07-create-without-guid", "zoo", "L1",
             "Repeats a create whose reply was lost, and waits behind its own first znode.",
             lab::ScenarioSize{2, 1}, &lock_scenario<Creating<&zoo_07::create>>,
             "zktools#2, zk-ruby#54, accumulo#637"},
    Scenario{"zoo-08-retries-exhausted", "zoo", "S5",
             "Gives up the search for its own create, and leaves behind what it has created.",
             lab::ScenarioSize{2, 1}, &lock_scenario<Creating<&zoo_08::create>>, "CURATOR-45"},
    Scenario{"zoo-09-cancel-in-create", "zoo", "S5",
             "Is cancelled while its create is under way, and leaves behind what it has created.",
             lab::ScenarioSize{2, 1}, &lock_scenario<Creating<&zoo_09::create>, kImpatient>,
             "CURATOR-79, CURATOR-62"},
    Scenario{"zoo-10-adopts-dying-session-znode", "zoo", "S1",
             "Adopts by its GUID a znode that belongs to its former session.",
             lab::ScenarioSize{2, 1}, &contenders<&zoo_10::contend>, "CURATOR-498, CURATOR-604"},
    Scenario{"zoo-11-cleanup-on-stale-read", "zoo", "L1",
             "Looks for its create on a server that has not applied it yet.",
             lab::ScenarioSize{2, 1}, &on_three_servers<Creating<&zoo_11::create>>, "CURATOR-264"},
    Scenario{"zoo-12-error-leaks-queue-znode", "zoo", "S5",
             "Stores its path only when it holds: an error before leaves the znode in the queue.",
             lab::ScenarioSize{2, 1}, &lock_scenario<Zoo12>, "go-zookeeper#229"},
    Scenario{"zoo-13-own-corpse", "zoo", "S1",
             "Takes its former session's znode of a fixed name for its own.",
             lab::ScenarioSize{2, 2}, &contenders<&zoo_13::contend>, "KAFKA-1387, KAFKA-7165"},
    Scenario{"zoo-14-timeout-leaves-waiter", "zoo", "S5",
             "Gives up waiting, and leaves its znode in the queue.", lab::ScenarioSize{2, 1},
             &lock_scenario<Zoo14, kImpatient>, "zk-ruby#49, zk-ruby#51"},
    Scenario{"zoo-15-swallowed-cleanup", "zoo", "S5",
             "Swallows the error of the deletion that should clean up after a failed try.",
             lab::ScenarioSize{2, 1}, &lock_scenario<Zoo15>, "kazoo#732"},
    Scenario{"zoo-16-release-forgets", "zoo", "S5",
             "Drops its entry although the deletion of its znode has failed.",
             lab::ScenarioSize{2, 1}, &contenders<&zoo_16::contend>, "CURATOR-486, CURATOR-678"},
    Scenario{"zoo-17-aba-release", "zoo", "S4",
             "Releases by a remembered path, which is another's by now.", lab::ScenarioSize{2, 2},
             &contenders<&zoo_17::contend>, "zk-ruby#34"},
    Scenario{"zoo-18-close-against-create", "zoo", "S5",
             "Is closed while its create is in flight, and installs a ghost.",
             lab::ScenarioSize{2, 1}, &contenders<&zoo_18::contend, kImpatient>,
             "CURATOR-18, CURATOR-3"},
    Scenario{"zoo-19-lease-orphans", "zoo", "S5",
             "Takes a lost reply for a failure, and a permit is gone for everybody.",
             lab::ScenarioSize{2, 1}, &two_leases<&zoo_19::contend<zoo_19::Flaws{true, false}>>,
             "CURATOR-315, CURATOR-335, CURATOR-462"},
    Scenario{"zoo-20-inner-lock-leaks", "zoo", "S5",
             "Leaves the mutex of the semaphore held when it cannot take a lease.",
             lab::ScenarioSize{2, 1}, &two_leases<&zoo_19::contend<zoo_19::Flaws{false, true}>>,
             "kazoo#429"},
    Scenario{"zoo-21-probe-znodes", "zoo", "user:leaked-znode",
             "Creates a znode to see whether ZooKeeper answers, and never deletes it.",
             lab::ScenarioSize{2, 1},
             &lock_scenario<Creating<&zoo_21::create>, kPatient, &no_ephemeral_is_left>,
             "spring-integration#2557", true},
    Scenario{"zoo-22-parent-vanishes", "zoo", "crash",
             "Makes sure of its parent once, and fails when the servers have reaped it.",
             lab::ScenarioSize{2, 2}, &lock_scenario<Creating<&zoo_22::create>>, "kazoo#563"},
    Scenario{"zoo-23-sort-by-whole-name", "zoo", "S1",
             "Orders the queue by names, in front of whose numbers stands an id.",
             lab::ScenarioSize{2, 1}, &lock_scenario<Waiting<&zoo_23::wait_for_turn>>,
             "ZOOKEEPER-2931"},
    Scenario{"zoo-24-wrong-predecessor", "zoo", "L1",
             "Is off by one in the choice of the znode to watch.", lab::ScenarioSize{2, 1},
             &lock_scenario<Waiting<&zoo_24::wait_for_turn>>, "ZOOKEEPER-3162"},
    Scenario{"zoo-25-sequence-overflow", "zoo", "S1",
             "Shares the last of the sequence numbers, and is first beside another.",
             lab::ScenarioSize{3, 1}, &contenders<&textbook_c::work<Zoo25>>,
             "kazoo#606, kazoo#730, ZOOKEEPER-4372"},
    Scenario{"zoo-26-readers-and-writers-block-each-other", "zoo", "L1",
             "Waits as a reader for writers who stand behind it.", lab::ScenarioSize{2, 1},
             &readers_and_writers<&zoo_26::contend>, "kazoo#649"},
    Scenario{"zoo-27-downgrade-gap", "zoo", "S1",
             "Goes on reading behind the next writer, and lets that one in.",
             lab::ScenarioSize{2, 1}, &readers_and_writers<&zoo_27::contend>,
             "CURATOR-276, CURATOR-621"},
    Scenario{"zoo-28-foreign-children-count", "zoo", "L1",
             "Takes an operator's note under the lock for a contender.", lab::ScenarioSize{2, 1},
             &contenders<&zoo_28::contend<Waiting<&zoo_28::wait_for_turn>>>, "CURATOR-43"},
    Scenario{"zoo-29-held-after-expiry", "zoo", "user:stale-write",
             "Writes without a fencing token after its session has expired.",
             lab::ScenarioSize{2, 1}, &contenders<&zoo_29::contend>,
             "CURATOR-206, go-zookeeper#20, etcd#11457"},
    Scenario{"zoo-30-expired-claim", "zoo", "S1",
             "Waits until nobody is in front, and does not look for its own znode.",
             lab::ScenarioSize{2, 1}, &contenders<&zoo_30::contend>, "etcd#11456"},
    Scenario{"zoo-31-reacquire-hangs", "zoo", "L1",
             "Waits in a new session for its former session's znode to come first.",
             lab::ScenarioSize{2, 2}, &contenders<&zoo_31::contend>, "kazoo#282"},
    Scenario{"zoo-32-stale-znode-leads", "zoo", "S1",
             "Sees its former session's znode in front, and leads.", lab::ScenarioSize{2, 2},
             &contenders<&zoo_32::contend>, "CURATOR-696"},
    Scenario{"zoo-33-reset-crosses-evaluation", "zoo", "S4",
             "Deletes its znode in the background while a list shows it in front.",
             lab::ScenarioSize{2, 1}, &lock_scenario<Waiting<&zoo_33::wait_for_turn>>,
             "CURATOR-620, CURATOR-653"},
    Scenario{"zoo-34-reset-storm", "zoo", "livelock",
             "Gives up its place whenever the znode in front goes away.", lab::ScenarioSize{3, 1},
             &lock_scenario<zoo_34::Mutex>, "CURATOR-644"},
    Scenario{"zoo-35-missing-parent", "zoo", "L1",
             "Finds its parent reaped, and waits for somebody to create it.",
             lab::ScenarioSize{2, 2}, &lock_scenario<Creating<&zoo_35::create>>, "CURATOR-724"},
    Scenario{"zoo-36-wrong-token", "zoo", "user:fenced-out",
             "Exports the token of a znode that has never led.", lab::ScenarioSize{2, 1},
             &contenders<&zoo_36::contend>, "CURATOR-537"},
    Scenario{"zoo-37-retry-eats-expiry", "zoo", "S2",
             "Repeats its requests in a new session, and goes on as if it held.",
             lab::ScenarioSize{2, 1}, &contenders<&zoo_37::contend>, "accumulo#1086"},
    Scenario{"zoo-38-zombie-leader", "zoo", "S2", "Closes its session before it stops to work.",
             lab::ScenarioSize{2, 1}, &contenders<&zoo_38::contend>, "paasta#2450"},
    Scenario{"zoo-39-timeout-is-not-a-timeout", "zoo", "L4",
             "Gives its deadline to each of its attempts anew.", lab::ScenarioSize{2, 1},
             &lock_scenario<Waiting<&zoo_39::wait_for_turn>, kImpatient>, "CURATOR-559"},
    Scenario{"zoo-40-herd", "zoo", "L3",
             "All waiters watch the list: every release wakes everybody.", lab::ScenarioSize{3, 1},
             &lock_scenario<Waiting<&zoo_40::wait_for_turn>>, "CURATOR-716"},
    // Beyond the list: for oracles that none of its bugs tries.
    Scenario{"zoo-41-sequence-number-as-token", "zoo", "S3",
             "Takes the number in its znode's name for a fencing token.", lab::ScenarioSize{2, 1},
             &contenders<&zoo_41::contend>, "zk-ruby#34"},
    Scenario{"zoo-42-loss-told-twice", "zoo", "R1",
             "Tells a loss whenever it notices it, by a request and by its watch.",
             lab::ScenarioSize{2, 1}, &contenders<&zoo_42::contend>, "made up"},
    Scenario{"zoo-43-locks-in-any-order", "zoo", "deadlock",
             "Takes two locks in the order in which it was given them.", lab::ScenarioSize{2, 1},
             &contenders<&zoo_43::contend>, "Curator's InterProcessMultiLock"},
    Scenario{"zoo-44-takes-over-unseen", "zoo", "S1",
             "Holds when the znode in front is deleted, without a look at who else is there.",
             lab::ScenarioSize{3, 1}, &lock_scenario<Waiting<&zoo_44::wait_for_turn>>, "made up"},
    Scenario{"zoo-45-waits-to-be-told", "zoo", "S2",
             "Relies on the server to tell it of its loss, also behind a partition.",
             lab::ScenarioSize{2, 1}, &contenders<&zoo_45::contend>, "made up"},
    Scenario{"zoo-46-alarm-not-called-off", "zoo", "S4",
             "Gives its place up after a second, although it holds the lock by then.",
             lab::ScenarioSize{2, 1}, &contenders<&lab::contend_for<Zoo46>>, "made up"},
    Scenario{"zoo-47-loss-that-was-none", "zoo", "R2",
             "Takes what its own release has deleted for lost, if it had to ask twice.",
             lab::ScenarioSize{2, 1}, &contenders<&zoo_47::contend>, "made up"},
};

}  // namespace

std::span<const Scenario> zoo() { return kZoo; }

}  // namespace lockstep::scenarios
