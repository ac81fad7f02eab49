// Wrong predecessor (ZOOKEEPER-3162, the lock recipe that comes with ZooKeeper's C client): the
// search for the znode to watch is off by one and ends at the contender's own znode, which no other
// client deletes. Correct: lockstep::position_of.
#include <algorithm>
#include <vector>

#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_24 {

namespace {

Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context) {
  for (;;) {
    const Children queue = co_await ok(retried(session, &Session::get_children, lock, context));
    std::vector<std::string_view> sorted(queue.begin(), queue.end());
    std::ranges::sort(sorted, [](std::string_view a, std::string_view b) {
      return precedes(*sequence_number(a, kLockMark), *sequence_number(b, kLockMark));
    });
    const auto found = std::ranges::find(sorted, ours.name());
    if (found == sorted.end()) co_return failure(Error::kNoNode);
    const auto place = found - sorted.begin();
    if (place == 0) co_return queue.parent().pzxid;
    if (observer) observer->waiting(session.id(), ours, static_cast<std::size_t>(place));
    // The flaw: the index should be place - 1.
    const Path predecessor = lock / sorted[static_cast<std::size_t>(place)];
    co_await ok(change_of(session, predecessor, context));
  }
}

const Registered kRegistered{Scenario{
    "zoo-24-wrong-predecessor", "zoo", "L1", "Is off by one in the choice of the znode to watch.",
    lab::ScenarioSize{2, 1}, &lock_scenario<WithWait<&wait_for_turn>>, "ZOOKEEPER-3162"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_24
