// Locks in any order (Curator's InterProcessMultiLock, which takes them in the order given): two
// clients name the same two locks in opposite orders; each holds one and waits for the other.
// Correct: lockstep::MultiLock takes them in one order.
#include <optional>
#include <utility>

#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_43 {

namespace {

Task<void> hold_both(Contender& self, Session& session, Path first, Path second) {
  std::optional<Attempt> attempt;
  attempt.emplace(self, session.id());
  // The flaw: this should take them in the order of their paths.
  FairMutex one(session, first, &self.oracles());
  FairMutex other(session, second, &self.oracles());
  Result<HeldLock> holds_one = co_await one.acquire();
  if (!holds_one) co_return;
  Result<HeldLock> holds_other = co_await other.acquire();
  attempt.reset();
  if (holds_other) co_await holds_other->release();
  co_await holds_one->release();
}

Task<void> hold(Contender& self, Session& session, Path path) {
  Path first = path / "a";
  Path second = path / "b";
  if (self.client().process().index() % 2 == 1) std::swap(first, second);
  co_await hold_both(self, session, std::move(first), std::move(second));
}

const Registered kRegistered{Scenario{"zoo-43-locks-in-any-order", "zoo", "deadlock",
                                      "Takes two locks in the order in which they were named.",
                                      lab::ScenarioSize{2, 1}, &in_each_round<&hold>,
                                      "Curator's InterProcessMultiLock"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_43
