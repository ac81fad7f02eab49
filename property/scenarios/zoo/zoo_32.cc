// Double leader by a stale znode (CURATOR-696): in a new session, the latch evaluates the queue
// first, sees its old session's znode in front, and leads. Correct: it creates a znode in the new
// session before it reads the queue.
#include <optional>

#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_32 {

namespace {

// `ours` outlives the task.
Task<Result<Zxid>> lead(Contender& self, Session& session, Path lock,
                        std::optional<Created>& ours) {
  // The flaw: `ours` may belong to an earlier session, and should have been forgotten with it.
  if (ours) {
    const Children queue = co_await ok(retried(session, &Session::get_children, lock, Context()));
    if (first_of(queue) == ours->path.name()) co_return queue.parent().pzxid;
  }
  ours = co_await ok(sound_create(session, lock, std::string(kLockMark), Data(), Context()));
  co_return co_await sound_wait(session, lock, ours->path, &self.oracles(), Context());
}

Task<void> contend(Contender& self, Path lock, std::uint32_t rounds) {
  std::optional<Created> ours;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
    if (!session) continue;
    const Attempt attempt(self, (*session)->id());
    const auto evidence = co_await lead(self, **session, lock, ours);
    if (!evidence) continue;
    HeldLock held(**session,
                  GrantRecord((*session)->id(), lock, ours->path, ours->stat.czxid, *evidence),
                  &self.oracles());
    const auto worked = co_await (*session)->exists(lock);
    if (!worked && session_is_over(worked.error())) continue;
    co_await held.release();
    ours.reset();
  }
}

const Registered kRegistered{Scenario{
    "zoo-32-stale-znode-leads", "zoo", "S1", "Sees its former session's znode in front, and leads.",
    lab::ScenarioSize{2, 2}, &contenders<&contend>, "CURATOR-696"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_32
