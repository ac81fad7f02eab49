// Sort by the whole name (ZOOKEEPER-2931): names begin with an id, and the client compares whole
// names. A later contender may therefore sort first and hold beside the first one. Correct:
// lockstep::position_of compares sequence numbers.
#include <algorithm>

#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_23 {

namespace {

Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context) {
  for (;;) {
    const Children queue = co_await ok(retried(session, &Session::get_children, lock, context));
    if (std::ranges::find(queue, ours.name()) == queue.end()) co_return failure(Error::kNoNode);
    std::string_view ahead_of_us;
    std::size_t ahead = 0;
    for (const std::string_view name : queue) {
      if (name >= ours.name()) continue;  // The flaw: this should compare numbers.
      ahead_of_us = std::max(ahead_of_us, name);
      ++ahead;
    }
    if (ahead == 0) co_return queue.parent().pzxid;
    if (observer) observer->waiting(session.id(), ours, ahead);
    co_await ok(change_of(session, lock / ahead_of_us, context));
  }
}

const Registered kRegistered{
    Scenario{"zoo-23-sort-by-whole-name", "zoo", "S1",
             "Orders the queue by names that begin with an id instead of the number.",
             lab::ScenarioSize{2, 1}, &lock_scenario<WithWait<&wait_for_turn>>, "ZOOKEEPER-2931"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_23
