// Wrong token (CURATOR-537): the client reads the leader's path only when it needs the token. By
// then the latch may have lost its session and joined the queue again, and the client exports the
// token of a znode that has never led. That future token shuts out the true leader. Correct: the
// token of the grant, HeldLock::fencing_token.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_36 {

namespace {

Task<void> hold(Contender& self, Session& session, Path lock) {
  const Result<GrantRecord> grant = co_await acquire(self, session, lock);
  if (!grant) co_return;
  Path ours = grant->znode;
  std::shared_ptr<Session> owner = self.client().current();
  const auto worked = co_await owner->exists(lock);
  if (!worked && session_is_over(worked.error())) {
    const auto next = co_await self.client().session(Context());
    if (!next) co_return;
    owner = *next;
    const auto again =
        co_await sound_create(*owner, lock, std::string(kLockMark), Data(), Context());
    if (!again) co_return;
    ours = again->path;
  }
  // The flaw: this should export grant->token.
  const auto exported = co_await retried(*owner, &Session::exists, ours, Context());
  if (exported) self.resource().write_fenced(*owner, exported->czxid);
  static_cast<void>(co_await remove_surely(*owner, ours));
  self.oracles().released(*grant, ReleaseOutcome::kUnknown);
}

const Registered kRegistered{Scenario{"zoo-36-wrong-token", "zoo", "user:fenced-out",
                                      "Exports the token of a znode that has never led.",
                                      lab::ScenarioSize{2, 1}, &in_each_round<&hold>,
                                      "CURATOR-537"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_36
