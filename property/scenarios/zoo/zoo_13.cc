// NodeExists against one's own corpse (KAFKA-1387, KAFKA-7165): the client finds a znode with a
// fixed name and its own data, and takes it for its own. The znode belongs to the client's former
// session, and the server is about to delete it. Correct: the znode is ours only if its
// ephemeralOwner is the current session; otherwise wait until it is deleted.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_13 {

namespace {

Task<Result<Zxid>> acquire(Session& session, Path znode, std::string us) {
  for (;;) {
    const auto created =
        co_await session.create(znode, std::string_view(us), CreateMode::kEphemeral);
    if (created) co_return created->stat.czxid;
    if (outcome_unknown(created.error())) {
      co_await ok(session.connected());
      continue;
    }
    if (created.error() != Error::kNodeExists) co_return failure(created.error());
    const auto holder = co_await session.get_data_watched(znode);
    if (!holder) continue;
    // The flaw: this should compare holder->value.stat.ephemeral_owner with session.id().
    if (holder->value.data.view() == us) co_return holder->value.stat.czxid;
    co_await ok(holder->watch.fired());
  }
}

Task<void> hold(Contender& self, Session& session, Path lock) {
  const Path znode = lock / "holder-lock-0000000000";
  const Attempt attempt(self, session.id());
  const auto token = co_await acquire(session, znode, self.client().name());
  if (!token) co_return;
  const GrantRecord grant(session.id(), lock, znode, *token, *token);
  self.oracles().granted(grant);
  // The znode goes with its session: this cannot delete another client's znode of that name.
  static_cast<void>(co_await session.close());
  self.oracles().released(grant, ReleaseOutcome::kUnknown);
}

const Registered kRegistered{
    Scenario{"zoo-13-own-corpse", "zoo", "S1",
             "Takes its former session's znode with a fixed name for its own.",
             lab::ScenarioSize{2, 2}, &in_each_round<&hold>, "KAFKA-1387, KAFKA-7165"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_13
