// An acquire returns an expired claim (etcd#11456): the client waits, through whatever session it
// has, until no contender is in front, and does not check that its own znode still exists. Correct:
// lockstep::position_of reports kNoNode, and the whole acquire stays in one session.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_30 {

namespace {

Task<Result<Zxid>> wait_for_others(Contender& self, Path lock, Path ours) {
  for (;;) {
    const auto session = co_await self.client().session(Context());
    if (!session) continue;
    const auto queue = co_await (*session)->get_children(lock);
    if (!queue && queue.error() == Error::kNoNode) co_return failure(queue.error());
    if (!queue) continue;
    // The flaw: this does not check that `ours` is in the list.
    const std::string_view first = first_of(*queue);
    if (first.empty() || first == ours.name()) co_return queue->parent().pzxid;
    if (precedes(*sequence_number(ours.name(), kLockMark), *sequence_number(first, kLockMark))) {
      co_return queue->parent().pzxid;
    }
    const auto ahead = co_await (*session)->get_data_watched(lock / first);
    if (ahead) static_cast<void>(co_await ahead->watch.fired());
  }
}

Task<void> hold(Contender& self, Session& session, Path lock) {
  const Attempt attempt(self, session.id());
  const auto ours = co_await sound_create(session, lock, std::string(kLockMark), Data(), Context());
  if (!ours) co_return;
  const Result<Zxid> evidence = co_await wait_for_others(self, lock, ours->path);
  if (!evidence) co_return;
  const auto now = co_await self.client().session(Context());
  if (!now) co_return;
  HeldLock held(**now, GrantRecord((*now)->id(), lock, ours->path, ours->stat.czxid, *evidence),
                &self.oracles());
  co_await held.release();
}

const Registered kRegistered{
    Scenario{"zoo-30-expired-claim", "zoo", "S1",
             "Waits until no contender is in front, and does not check its own znode.",
             lab::ScenarioSize{2, 1}, &in_each_round<&hold>, "etcd#11456"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_30
