// The simplified reentrant mutex: wait and notify under a monitor, and a counter for re-entry. Each
// flaw can be repaired separately.
#include <optional>

#include "lockstep/async_event.h"
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::textbook_e {

namespace {

struct Flaws {
  // Each wake restarts the whole timeout. Correct: one deadline.
  bool timeout = false;
  // A client that gives up leaves its znode in the queue. Correct: lockstep::Place.
  bool znode = false;
  // The watcher calls notifyAll() outside the monitor, perhaps between the waiter's look and its
  // wait(). Correct: keep the notification, as a Watch does.
  bool notify = false;
  // The client's znode is not in the list, and the mutex takes the index -1 for the first place.
  // Correct: kNoNode.
  bool index = false;
  // Re-entry counts without checking that the client still holds the lock. Correct: it fails after
  // a loss.
  bool reentry = false;
};

using std::chrono::milliseconds;

// The monitor that a watcher and the waiting thread share: notifyAll() and wait().
class Monitor {
 public:
  explicit Monitor(Executor& executor) : changed(executor) {}
  AsyncEvent changed;
};

Task<void> notify_all(Watch watch, std::shared_ptr<Monitor> monitor, Flaws flaws) {
  static_cast<void>(co_await watch.fired());
  monitor->changed.set();
  if (flaws.notify) monitor->changed.reset();  // Only a thread that already waits is woken.
}

Task<Result<void>> wait_for_deletion(Session& session, Path before, Context context, Flaws flaws) {
  const auto monitor = std::make_shared<Monitor>(session.executor());
  auto there = co_await ok(retried(session, &Session::exists_watched, before, context));
  if (!there.value) co_return Result<void>();
  session.in_background(notify_all(std::move(there.watch), monitor, flaws));
  // This thread goes on a little later than the event thread.
  co_await ok(sleep_for(session.executor(), milliseconds(1), context));
  co_return co_await monitor->changed.wait(context);
}

// Waits for its turn in any session.
Task<Result<Zxid>> attempt_lock(Contender& self, Path lock, Path ours, SessionId owner,
                                Context context, Flaws flaws) {
  for (;;) {
    const auto session = co_await ok(self.client().session(context));
    const auto queue = co_await session->get_children(lock, context);
    const bool parent_gone = !queue && queue.error() == Error::kNoNode;
    const bool too_late = !queue && queue.error() == Error::kTimedOut;
    if (parent_gone || too_late) co_return failure(queue.error());
    if (!queue) continue;
    const auto position = position_of(ours.name(), kLockMark, *queue);
    // The flaw called `index`: this takes a missing znode for the first.
    const bool ours_alone = flaws.index && !position;
    if (ours_alone) co_return queue->parent().pzxid;
    if (!position || session->id() != owner) co_return failure(Error::kNoNode);
    if (position->ahead == 0) co_return queue->parent().pzxid;
    self.oracles().waiting(owner, ours, position->ahead);
    // The flaw called `timeout`: each wake restarts the whole timeout.
    const bool afresh = flaws.timeout && context.deadline();
    if (afresh) context = self.patience();
    const Path before = lock / position->predecessor;
    const auto woken = co_await wait_for_deletion(*session, before, context, flaws);
    if (!woken && woken.error() == Error::kTimedOut) co_return failure(woken.error());
  }
}

// Uses the protected resource once, and again under the same lock; then takes some time.
Task<void> work(Contender& self, Path lock, Session& session, Flaws flaws) {
  self.resource().enter(session);
  static_cast<void>(co_await session.exists(lock));
  // The flaw called `reentry`: re-entry should fail once the lock is lost.
  if (flaws.reentry) {
    const auto now = co_await self.client().session(Context());
    if (now) static_cast<void>(co_await (*now)->exists(lock));
  } else {
    static_cast<void>(co_await session.exists(lock));
  }
  self.resource().leave(session);
  for (int part = 0; part < 3; ++part) {
    static_cast<void>(co_await sleep_for(self.client().executor(), milliseconds(400)));
  }
}

Task<Result<GrantRecord>> acquire(Contender& self, Session& session, Path lock, Flaws flaws) {
  const Context patience = self.patience();
  const Attempt attempt(self, session.id(), patience);
  const Created ours =
      co_await ok(sound_create(session, lock, std::string(kLockMark), Data(), patience));
  std::optional<Place> place;
  // The flaw called `znode`: a guard should always clean up.
  if (!flaws.znode) place.emplace(session, ours.path);
  const Zxid evidence =
      co_await ok(attempt_lock(self, lock, ours.path, session.id(), patience, flaws));
  if (place) place->granted();
  GrantRecord grant(session.id(), lock, ours.path, ours.stat.czxid, evidence);
  self.oracles().granted(grant);
  co_return std::move(grant);
}

template <Flaws kFlaws>
Task<void> hold(Contender& self, Session& session, Path lock) {
  const auto grant = co_await acquire(self, session, lock, kFlaws);
  if (!grant) co_return;
  co_await work(self, lock, session, kFlaws);
  co_await release(self, session, *grant);
}

const Registered kRegistered{
    Scenario{"textbook-e", "textbook", "L4",
             "The simplified reentrant mutex: its main flaw, as textbook-e-timeout.",
             lab::ScenarioSize{3, 1}, &in_each_round<&hold<Flaws{.timeout = true}>, kImpatient>,
             "tutorial E"},
    Scenario{"textbook-e-timeout", "textbook", "L4", "Restarts its timeout with every wake.",
             lab::ScenarioSize{3, 1}, &in_each_round<&hold<Flaws{.timeout = true}>, kImpatient>,
             "tutorial E"},
    Scenario{"textbook-e-znode", "textbook", "S5",
             "Gives up waiting, and leaves its znode in the queue.", lab::ScenarioSize{2, 1},
             &in_each_round<&hold<Flaws{.znode = true}>, kImpatient>, "tutorial E"},
    Scenario{"textbook-e-notify", "textbook", "L1",
             "Notifies outside the monitor, before the waiter waits.", lab::ScenarioSize{2, 1},
             &in_each_round<&hold<Flaws{.notify = true}>>, "tutorial E"},
    Scenario{"textbook-e-index", "textbook", "S1",
             "Does not find its own znode, and takes that for the first place.",
             lab::ScenarioSize{2, 1}, &in_each_round<&hold<Flaws{.index = true}>>, "tutorial E"},
    Scenario{"textbook-e-reentry", "textbook", "S2",
             "Enters again a lock that it has lost in the meantime.", lab::ScenarioSize{2, 1},
             &in_each_round<&hold<Flaws{.reentry = true}>>, "tutorial E"}};

}  // namespace

}  // namespace lockstep::scenarios::textbook_e
