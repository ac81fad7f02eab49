// Adopting a dying session's znode (CURATOR-498, CURATOR-604): the client repeats an acquire with
// the same GUID until it succeeds. After a session loss, the next attempt finds the GUID in the
// queue and adopts a znode that the server is about to delete with the old session. Correct:
// lockstep::take_place adopts only a znode that its own session owns.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_10 {

namespace {

// Returns our znode, if an earlier attempt has created it, or a new one.
Task<Result<Created>> find_or_create(Session& session, Path lock, std::string name) {
  co_await ok(ensure_parent(session, lock, Context()));
  co_await ok(session.sync(lock));
  const Children queue = co_await ok(session.get_children(lock));
  for (const std::string_view child : queue) {
    if (!child.starts_with(name)) continue;
    const Stat stat = co_await ok(session.exists(lock / child));
    // The flaw: the znode is ours only if stat.ephemeral_owner is session.id().
    co_return Created(lock / child, stat);
  }
  co_return co_await session.create(lock / (name + "-lock-"), Data(),
                                    CreateMode::kEphemeralSequential);
}

// Tries until it holds, in whatever session is current.
Task<void> hold_once(Contender& self, Path lock) {
  const Guid guid(self.client().process().random());
  const std::string name = "_c_" + std::string(guid.view());
  for (;;) {
    const auto session = co_await self.client().session(Context());
    if (!session) continue;
    const Attempt attempt(self, (*session)->id());
    const auto ours = co_await find_or_create(**session, lock, name);
    if (!ours) continue;
    const bool in_order = keeps_order(*ours).has_value();
    if (!in_order) co_return remove_guaranteed(**session, ours->path);
    const auto evidence =
        co_await sound_wait(**session, lock, ours->path, &self.oracles(), Context());
    if (!evidence) continue;
    HeldLock held(**session,
                  GrantRecord((*session)->id(), lock, ours->path, ours->stat.czxid, *evidence),
                  &self.oracles());
    co_await held.release();
    co_return;
  }
}

Task<void> contend(Contender& self, Path lock, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round) co_await hold_once(self, lock);
}

const Registered kRegistered{
    Scenario{"zoo-10-adopts-dying-session-znode", "zoo", "S1",
             "Adopts by its GUID a znode that belongs to its former session.",
             lab::ScenarioSize{2, 1}, &contenders<&contend>, "CURATOR-498, CURATOR-604"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_10
