// Sequence number as a token (the lesson of zk-ruby#34): the client takes the number in the znode's
// name for a fencing token. The numbers start over after the lock's parent has been reaped and
// created again. Correct: the znode's czxid.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_41 {

namespace {

Task<Result<HeldLock>> acquire(Contender& self, Session& session, Path lock) {
  const Attempt attempt(self, session.id());
  const Created ours =
      co_await ok(sound_create(session, lock, std::string(kLockMark), Data(), Context()));
  Place place(session, ours.path);
  const Zxid evidence =
      co_await ok(sound_wait(session, lock, ours.path, &self.oracles(), Context()));
  place.granted();
  GrantRecord grant(session.id(), lock, ours.path, ours.stat.czxid, evidence);
  // The flaw: this replaces the czxid.
  grant.token = *sequence_number(ours.path.name(), kLockMark);
  co_return HeldLock(session, std::move(grant), &self.oracles());
}

Task<void> hold(Contender& self, Session& session, Path lock) {
  Result<HeldLock> held = co_await acquire(self, session, lock);
  if (held) co_await held->release();
}

const Registered kRegistered{Scenario{"zoo-41-sequence-number-as-token", "zoo", "S3",
                                      "Takes the number in its znode's name for a fencing token.",
                                      lab::ScenarioSize{2, 1}, &in_each_round<&hold>,
                                      "zk-ruby#34"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_41
