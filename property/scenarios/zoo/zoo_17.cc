// ABA release (zk-ruby#34): A's session is lost. B acquires, releases and deletes the empty parent.
// Then a client creates the parent and a place again, and the sequence numbers start over. A's
// release remembers a path and deletes the znode with that name, which is another client's lock.
// Correct: a GUID makes the name unique, and HeldLock::release touches nothing once its own session
// is over. (The same reuse makes sequence numbers unfit as fencing tokens.)
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_17 {

namespace {

// Creates a place without a GUID in the name, as this recipe's model does. If the outcome is
// unknown, this closes the session, which deletes whatever it has created.
Task<Result<Created>> create(Session& session, Path lock) {
  for (;;) {
    Result<Created> created =
        co_await session.create(lock / "ex-lock-", Data(), CreateMode::kEphemeralSequential);
    if (created && keeps_order(*created)) co_return std::move(created);
    if (created) created = failure(Error::kNodeExists);
    if (created.error() != Error::kNoNode) {
      static_cast<void>(co_await session.close());
      co_return failure(created.error());
    }
    co_await ok(ensure_parent(session, lock, Context()));
  }
}

Task<Result<GrantRecord>> acquire(Contender& self, Session& session, Path lock) {
  const Attempt attempt(self, session.id());
  const Created ours = co_await ok(create(session, lock));
  const Zxid evidence =
      co_await ok(sound_wait(session, lock, ours.path, &self.oracles(), Context()));
  // Check that this is still the znode that we have created.
  const Stat now = co_await ok(retried(session, &Session::exists, ours.path, Context()));
  if (now.czxid != ours.stat.czxid) co_return failure(Error::kNoNode);
  GrantRecord grant(session.id(), lock, ours.path, ours.stat.czxid, evidence);
  self.oracles().granted(grant);
  co_return std::move(grant);
}

Task<ReleaseOutcome> release(Contender& self, Path znode, SessionId holder) {
  ReleaseOutcome outcome = ReleaseOutcome::kUnknown;
  for (;;) {
    const auto session = co_await self.client().session(Context());
    if (!session) continue;
    // The flaw: only the holder's session may delete this znode.
    const Result<void> removed = co_await (*session)->remove(znode);
    if (!removed && removed.error() != Error::kNoNode) continue;
    if (removed && (*session)->id() == holder) outcome = ReleaseOutcome::kReleased;
    static_cast<void>(co_await (*session)->remove(znode.parent()));  // Succeeds if it is empty.
    co_return outcome;
  }
}

Task<void> hold(Contender& self, Session& session, Path lock) {
  const Result<GrantRecord> grant = co_await acquire(self, session, lock);
  if (!grant) co_return;
  const ReleaseOutcome outcome = co_await release(self, grant->znode, grant->session);
  self.oracles().released(*grant, outcome);
}

const Registered kRegistered{
    Scenario{"zoo-17-aba-release", "zoo", "S4",
             "Releases by a remembered path, which belongs to another client by now.",
             lab::ScenarioSize{2, 2}, &in_each_round<&hold>, "zk-ruby#34"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_17
