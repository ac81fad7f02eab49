// Re-acquire after a loss hangs (kazoo#282): the lock object remembers that it has created its
// znode. After its session is lost, the next acquire waits for its turn with a znode that no longer
// exists. Correct: when the session ends, an object forgets what belonged to it; FairMutex keeps
// nothing.
#include <algorithm>
#include <optional>

#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_31 {

namespace {

// `created` outlives the task.
Task<Result<Zxid>> acquire(Session& session, Path lock, std::optional<Created>& created) {
  if (!created) {
    created = co_await ok(sound_create(session, lock, std::string(kLockMark), Data(), Context()));
  }
  for (;;) {
    const auto queue =
        co_await ok(retried(session, &Session::get_children_watched, lock, Context()));
    const bool ours = created->stat.ephemeral_owner == session.id();
    const std::string_view name = created->path.name();
    if (ours && first_of(queue.value) == name) co_return queue.value.parent().pzxid;
    const bool gone = std::ranges::find(queue.value, name) == queue.value.end();
    if (ours && gone) co_return failure(Error::kNoNode);
    co_await ok(queue.watch.fired());
  }
}

Task<void> contend(Contender& self, Path lock, std::uint32_t rounds) {
  std::optional<Created> created;  // Outlives the rounds, as part of the lock object.
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
    if (!session) continue;
    const Attempt attempt(self, (*session)->id());
    const auto evidence = co_await acquire(**session, lock, created);
    // The flaw: if the session is over, this should reset `created` too.
    if (!evidence) continue;
    GrantRecord grant((*session)->id(), lock, created->path, created->stat.czxid, *evidence);
    HeldLock held(**session, std::move(grant), &self.oracles());
    const ReleaseOutcome outcome = co_await held.release();
    if (outcome == ReleaseOutcome::kReleased) created.reset();
  }
}

const Registered kRegistered{
    Scenario{"zoo-31-reacquire-hangs", "zoo", "L1",
             "Waits in a new session for its former session's znode to come first.",
             lab::ScenarioSize{2, 2}, &contenders<&contend>, "kazoo#282"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_31
