// Two locks of a flash sale with one item in stock: one is a znode with a fixed name that all
// waiters watch, the other a fair lock with a timed acquire.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::textbook_b {

namespace {

Task<Result<Zxid>> acquire(Contender& self, Session& session, Path znode) {
  for (;;) {
    const auto created = co_await session.create(znode, Data(), CreateMode::kEphemeral);
    if (created) co_return created->stat.czxid;
    if (created.error() != Error::kNodeExists) {
      // The outcome may be unknown: closing the session deletes the znode, if there is one.
      static_cast<void>(co_await session.close());
      co_return failure(created.error());
    }
    // The flaw: all clients wait for the same znode.
    const auto holder = co_await ok(retried(session, &Session::exists_watched, znode, Context()));
    if (!holder.value) continue;
    co_await ok(holder.watch.fired());
    self.resource().woken();
  }
}

// The unfair lock: every waiter watches the one znode, so each release wakes them all, and all but
// one go back to sleep. Correct: a queue, FairMutex.
Task<void> hold_in_a_herd(Contender& self, Session& session, Path lock) {
  const Path znode = lock / "holder-lock-0000000000";
  const Attempt attempt(self, session.id());
  const Result<Zxid> token = co_await acquire(self, session, znode);
  if (!token) co_return;
  const GrantRecord grant(session.id(), lock, znode, *token, *token);
  self.oracles().granted(grant);
  self.resource().released();
  // The znode goes with its session: this cannot delete another client's znode of that name.
  static_cast<void>(co_await session.close());
  self.oracles().released(grant, ReleaseOutcome::kUnknown);
}

// The sale: a buyer looks at the stock outside the lock and sells inside. Correct: it looks again
// once it holds the lock.
struct Sale {
  bool looks_outside = true;
};

template <Sale kSale>
Task<void> sell(Contender& self, Session& session, Path lock) {
  static_cast<void>(co_await session.exists(lock));  // The buyer reads the offer.
  const bool offered = self.resource().stock() > 0;
  if (!offered) co_return;
  const Result<GrantRecord> grant = co_await scenarios::acquire(self, session, lock);
  if (!grant) co_return;
  // The flaw: another client may have sold the item since.
  if (kSale.looks_outside || self.resource().stock() > 0) self.resource().sell();
  co_await release(self, session, *grant);
}

// The fair lock: a timed acquire gives up, and its znode stays in the queue. Correct: FairMutex,
// which is this lock with lockstep::Place.
using TimedOut = AssembledMutex<&sound_create, &sound_wait, NoPlace>;

const Registered kRegistered{
    Scenario{"textbook-b", "textbook", "user:oversold",
             "The lock of a flash sale: its main flaw, as textbook-b-oversell.",
             lab::ScenarioSize{2, 1}, &in_each_round<&sell<Sale{true}>>, "tutorial B"},
    Scenario{"textbook-b-herd", "textbook", "L3",
             "All waiters watch one znode: every release wakes all of them.",
             lab::ScenarioSize{3, 1}, &in_each_round<&hold_in_a_herd>, "tutorial B"},
    Scenario{"textbook-b-oversell", "textbook", "user:oversold",
             "Looks at the stock outside the lock, and sells inside.", lab::ScenarioSize{2, 1},
             &in_each_round<&sell<Sale{true}>>, "tutorial B"},
    Scenario{"textbook-b-timeout", "textbook", "S5",
             "Gives up a timed acquire, and leaves its znode in the queue.",
             lab::ScenarioSize{3, 1}, &lock_scenario<TimedOut, kImpatient>, "tutorial B"}};

}  // namespace

}  // namespace lockstep::scenarios::textbook_b
