// Foreign children count (CURATOR-43): the client takes every child of the lock's path for a
// contender. Here an operator has left a note there, which is never deleted. Correct:
// lockstep::position_of ignores a name without the mark.
#include <algorithm>

#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_28 {

namespace {

Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context) {
  const auto ours_number = sequence_number(ours.name(), kLockMark);
  for (;;) {
    const Children queue = co_await ok(retried(session, &Session::get_children, lock, context));
    std::string_view predecessor;
    std::int32_t nearest = -1;
    std::size_t ahead = 0;
    if (std::ranges::find(queue.names(), ours.name()) == queue.end()) {
      co_return failure(Error::kNoNode);
    }
    for (const std::string_view name : queue) {
      // The flaw: a name without a number should not count.
      const std::int32_t number = sequence_number(name, kLockMark).value_or(-1);
      if (!precedes(number, *ours_number)) continue;
      ++ahead;
      if (number >= nearest) predecessor = name;
      nearest = std::max(nearest, number);
    }
    if (ahead == 0) co_return queue.parent().pzxid;
    if (observer) observer->waiting(session.id(), ours, ahead);
    co_await ok(change_of(session, lock / predecessor, context));
  }
}

// Client A is an operator too: after it has had the lock, it leaves a note.
Task<void> leave_a_note(Contender& self, Path lock) {
  const auto session = co_await self.client().session(Context());
  if (!session) co_return;
  static_cast<void>(co_await (*session)->create(lock / "note", Data(), CreateMode::kPersistent));
}

Task<void> contend(Contender& self, Path lock, std::uint32_t rounds) {
  co_await lab::contend_briefly_for<WithWait<&wait_for_turn>>(self, lock, rounds);
  if (self.client().name() == "A") co_await leave_a_note(self, lock);
}

const Registered kRegistered{Scenario{"zoo-28-foreign-children-count", "zoo", "L1",
                                      "Takes an operator's note under the lock for a contender.",
                                      lab::ScenarioSize{2, 1}, &contenders<&contend>,
                                      "CURATOR-43"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_28
