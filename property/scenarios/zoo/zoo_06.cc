// Capacity change not signalled (CURATOR-75): a semaphore's limit is raised, and clients that
// already wait do not notice, because they read the limit before they began to wait. Correct:
// lockstep::Semaphore with the path of the shared count, which it watches.
#include "lockstep/async_event.h"
#include "lockstep/semaphore.h"
#include "lockstep/shared_count.h"
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_06 {

namespace {

// Keeps the lease until it is lost: here no release wakes a waiter.
Task<void> keep(std::shared_ptr<Session> session, HeldLock lease) {
  AsyncEvent never(session->executor());
  static_cast<void>(co_await never.wait(Context(lease.lost_token())));
}

Task<void> hold(Contender& self, Session& session, Path path) {
  const Path count("/leases");
  const Data one = encode_shared_count(1);
  static_cast<void>(co_await session.create(count, one, CreateMode::kPersistent));
  const auto most = co_await get_shared_count(session, count);
  if (!most) co_return;
  // The flaw: the semaphore should get `count`.
  Semaphore semaphore(session, path, *most, &self.oracles());
  const Attempt attempt(self, session.id());
  Result<HeldLock> lease = co_await semaphore.acquire();
  if (!lease) co_return;
  static_cast<void>(co_await set_shared_count(session, count, 2));
  self.client().process().tasks().spawn(keep(self.client().current(), std::move(*lease)));
}

const Registered kRegistered{
    Scenario{"zoo-06-capacity-not-signalled", "zoo", "L1",
             "Does not notice that the semaphore it waits for has become larger.",
             lab::ScenarioSize{2, 1}, &two_leases<&each_round<&hold>>, "CURATOR-75"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_06
