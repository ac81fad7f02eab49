// Several leases, one at a time (Curator's InterProcessSemaphoreV2.acquire(qty), which gives the
// mutex up after each lease): two clients that want both leases hold one each, and wait for each
// other. Correct: lockstep::Semaphore::acquire(2), which creates both under the mutex.
#include <vector>

#include "lockstep/semaphore.h"
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_60 {

namespace {

Task<Result<HeldLocks>> acquire_two(Semaphore& semaphore) {
  // The flaw: this should ask for two at once.
  std::vector<HeldLock> held;
  while (held.size() < 2) {
    HeldLock next = co_await ok(semaphore.acquire());
    held.push_back(std::move(next));
  }
  co_return HeldLocks(std::move(held));
}

Task<void> hold(Contender& self, Session& session, Path path) {
  Semaphore semaphore(session, path, 2, &self.oracles());
  Result<HeldLocks> both = co_await attempted(self, session, acquire_two(semaphore));
  if (both) static_cast<void>(co_await both->release());
}

const Registered kRegistered{Scenario{
    "zoo-60-leases-one-by-one", "zoo", "L1",
    "Takes two leases one after another, and gives up the mutex in between.",
    lab::ScenarioSize{2, 1}, &two_leases<&each_round<&hold>>, "Curator's InterProcessSemaphoreV2"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_60
