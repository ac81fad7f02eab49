// A waiter beside a free permit (made up): the first two of the queue hold. The third one watches
// the znode right in front of it, as in a mutex, but it may also hold when the first one leaves. In
// that case it still waits until the second one leaves, however long that holds. Correct: a watch
// on the queue, or the leases of lockstep::Semaphore.
#include <chrono>
#include <utility>

#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_49 {

namespace {

constexpr std::size_t kPermits = 2;

Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context) {
  for (;;) {
    const Children queue = co_await ok(retried(session, &Session::get_children, lock, context));
    const Position position = co_await ok(position_of(ours.name(), kLockMark, queue));
    if (position.ahead < kPermits) co_return queue.parent().pzxid;
    if (observer) observer->waiting(session.id(), ours, position.ahead);
    // The flaw: any contender in front may leave first.
    co_await ok(change_of(session, lock / position.predecessor, context));
  }
}

// A holder may be slow.
Task<void> hold(Contender& self, Session& session, Path lock) {
  WithWait<&wait_for_turn> permits(session, lock, &self.oracles());
  Result<HeldLock> held = co_await attempted(self, session, permits.acquire());
  if (!held) co_return;
  const bool is_slow = self.client().process().world().draw(2) != 0;
  if (is_slow) static_cast<void>(co_await sleep_for(session.executor(), std::chrono::seconds(3)));
  static_cast<void>(co_await held->release());
}

lab::LockUnderTest two_permits() {
  judge::LockRules rules = judge::first_of_queue_rules(kPermits);
  rules.idle_allowance = std::chrono::seconds(2);
  return contention(&each_round<&hold>, kPatient, std::move(rules));
}

const Registered kRegistered{
    Scenario{"zoo-49-waits-beside-a-permit", "zoo", "L1",
             "Watches the znode right in front of it, although two may hold at once.",
             lab::ScenarioSize{3, 1}, &two_permits, "made up"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_49
