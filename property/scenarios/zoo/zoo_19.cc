// The semaphore assembled from its parts: the leases, and a mutex that is held while a client takes
// a lease. Each of the two flaws can be repaired separately.
#include <optional>

#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_19 {

namespace {

struct Flaws {
  // Zoo 19, lease orphans (CURATOR-315, CURATOR-335, CURATOR-462): the reply to the create of the
  // lease is lost, the acquire fails, and all clients have one permit less. Correct:
  // lockstep::take_place.
  bool lease = false;
  // Zoo 20, the inner lock leaks (kazoo#429): an error while the client takes the lease leaves the
  // mutex held. Correct: a guard, as in lockstep::Semaphore.
  bool inner_lock = false;
};

Task<Result<Created>> create_lease(Session& session, Path leases, Flaws flaws) {
  if (!flaws.lease) {
    co_return co_await sound_create(session, leases, std::string(kLeaseMark), Data(), Context());
  }
  const Path prefix = leases / "x-lease-";
  co_return co_await session.create(prefix, Data(), CreateMode::kEphemeralSequential);
}

// There are two leases. The mutex lets one contender at a time look for room.
Task<Result<Created>> take_lease(Session& session, Path leases, Flaws flaws) {
  co_await ok(ensure_parent(session, leases, Context()));
  const Created ours = co_await ok(create_lease(session, leases, flaws));
  Place place(session, ours.path);
  for (;;) {
    // kConnectionLoss ends this attempt: `place` gives back what it has taken.
    const auto list = co_await ok(session.get_children_watched(leases));
    if (list.value.size() <= 2) break;
    co_await ok(list.watch.fired());
  }
  place.granted();
  co_return ours;
}

template <Flaws kFlaws>
Task<void> hold(Contender& self, Session& session, Path path) {
  std::optional<Attempt> attempt;
  attempt.emplace(self, session.id());
  const auto mutex = co_await queue_up(session, path / "locks", self.oracles());
  if (!mutex) co_return;
  const auto lease = co_await take_lease(session, path / "leases", kFlaws);
  attempt.reset();
  // The flaw called `inner_lock`: this should give the mutex back in every case.
  if (!lease && kFlaws.inner_lock) {
    self.oracles().released(*mutex, ReleaseOutcome::kUnknown);
    co_return;
  }
  static_cast<void>(co_await remove_surely(session, mutex->znode));
  self.oracles().released(*mutex, ReleaseOutcome::kUnknown);
  if (lease) static_cast<void>(co_await remove_surely(session, lease->path));
}

const Registered kRegistered{
    Scenario{"zoo-19-lease-orphans", "zoo", "S5",
             "Takes a lost reply for a failure, and all clients have one permit less.",
             lab::ScenarioSize{2, 1}, &two_leases<&each_round<&hold<Flaws{.lease = true}>>>,
             "CURATOR-315, CURATOR-335, CURATOR-462"},
    Scenario{"zoo-20-inner-lock-leaks", "zoo", "S5",
             "Leaves the mutex of the semaphore held when it cannot take a lease.",
             lab::ScenarioSize{2, 1}, &two_leases<&each_round<&hold<Flaws{.inner_lock = true}>>>,
             "kazoo#429"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_19
