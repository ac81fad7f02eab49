// Ten tasks for ten executors, with a lock that polls.
#include <stdexcept>

#include "scenarios/broken_lock.h"
#include "scenarios/long_tasks.h"

namespace lockstep::scenarios::textbook_c {

namespace {

// Lists all children once a second, whether anything has changed or not. Correct:
// lockstep::wait_in_queue sleeps until the znode in front is deleted.
Task<Result<Zxid>> poll(Session& session, Path lock, Path ours, LockObserver* observer,
                        Context context) {
  for (;;) {
    const Children queue = co_await ok(retried(session, &Session::get_children, lock, context));
    const Position position = co_await ok(position_of(ours.name(), kLockMark, queue));
    if (position.ahead == 0) co_return queue.parent().pzxid;
    if (observer) observer->waiting(session.id(), ours, position.ahead);
    // The flaw: this should wait for the znode in front.
    co_await ok(sleep_for(session.executor(), std::chrono::seconds(1), context));
  }
}

// If the reply to the create is lost, the executor reports an error and goes on to the next task.
// The znode blocks all contenders until the session ends. Correct: lockstep::take_place.
Task<Result<Created>> create(Session& session, Path parent, std::string mark, Data data,
                             Context context) {
  // The flaw: this takes an unknown outcome for a failure.
  const Path prefix = parent / ("task" + mark);
  co_return co_await session.create(prefix, data, CreateMode::kEphemeralSequential, context);
}

// Creates the folder of the tasks and swallows every error, not only kNodeExists. The first create
// in the folder fails then. Correct: lockstep::ensure_parent.
Task<void> work_in_folder(Contender& self, Session& session, Path lock) {
  const Path folder = lock / "tasks";
  // The flaw: this ignores every error.
  static_cast<void>(co_await session.create(folder, Data(), CreateMode::kPersistent));
  const auto connected = co_await session.connected();
  if (!connected) co_return;
  const Attempt attempt(self, session.id());
  const auto ours =
      co_await session.create(folder / "task-lock-", Data(), CreateMode::kEphemeralSequential);
  if (!ours && ours.error() == Error::kNoNode) throw std::runtime_error("NoNodeException");
  // If the outcome is unknown, this closes the session, which deletes the znode.
  const bool usable = ours && keeps_order(*ours);
  if (!usable) static_cast<void>(co_await session.close());
  if (!usable) co_return;
  const auto evidence =
      co_await sound_wait(session, folder, ours->path, &self.oracles(), Context());
  if (!evidence) co_return;
  GrantRecord grant(session.id(), folder, ours->path, ours->stat.czxid, *evidence);
  HeldLock held(session, std::move(grant), &self.oracles());
  co_await held.release();
}

using Polling = WithWait<&poll>;
using Orphaned = WithCreate<&create>;

const Registered kRegistered{
    Scenario{"textbook-c", "textbook", "S5",
             "Ten executors with ten tasks: its main flaw, as textbook-c-orphan.",
             lab::ScenarioSize{2, 1}, &lock_scenario<Orphaned>, "tutorial C"},
    Scenario{"textbook-c-polling", "textbook", "livelock",
             "Reads the whole queue once a second until it is first.", lab::ScenarioSize{2, 1},
             &in_each_round<&hold_for_a_long_task<Polling>>, "tutorial C", true},
    Scenario{"textbook-c-orphan", "textbook", "S5",
             "Takes a lost reply for a failure, and leaves the znode that it has created.",
             lab::ScenarioSize{2, 1}, &lock_scenario<Orphaned>, "tutorial C"},
    Scenario{"textbook-c-parent", "textbook", "crash",
             "Ignores the error of creating the folder, and fails at the first create in it.",
             lab::ScenarioSize{2, 1}, &in_each_round<&work_in_folder>, "tutorial C"}};

}  // namespace

}  // namespace lockstep::scenarios::textbook_c
