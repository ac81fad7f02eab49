#include "zoo_06.h"

#include "gate.h"
#include "lockstep/semaphore.h"
#include "lockstep/shared_count.h"

namespace lockstep::scenarios::zoo_06 {

namespace {

// For good: nobody is woken by a release here.
Task<void> keep(std::shared_ptr<Session> session, HeldLock lease) {
  Gate never(session->executor());
  static_cast<void>(co_await never.passed(Context(lease.lost_token())));
}

}  // namespace

Task<void> contend(Contender& self, Path path, std::uint32_t rounds) {
  const Path count("/leases");
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
    if (!session) continue;
    const Data one = encode_shared_count(1);
    static_cast<void>(co_await (*session)->create(count, one, CreateMode::kPersistent));
    const auto most = co_await get_shared_count(**session, count);
    if (!most) continue;
    // The flaw: should be given `count`.
    Semaphore semaphore(**session, path, *most, &self.oracles());
    const Attempt attempt(self, (*session)->id());
    Result<HeldLock> lease = co_await semaphore.acquire();
    if (!lease) continue;
    static_cast<void>(co_await set_shared_count(**session, count, 2));
    self.client().process().tasks().spawn(keep(*session, std::move(*lease)));
  }
}

}  // namespace lockstep::scenarios::zoo_06
