#include "recipes.h"

#include <utility>

#include "lockstep/read_write_lock.h"

namespace lockstep::scenarios {

namespace {

using fake::Contender;

std::uint32_t index_of(Contender& self) { return self.client().process().index(); }

// Releases a grant, and asks once more how that ended.
Task<void> give_back(Contender& self, HeldLock held) {
  const Path znode = held.znode();
  const ReleaseOutcome outcome = co_await held.release();
  const ReleaseOutcome again = co_await held.release();
  self.oracles().released_again(znode, outcome, again);
}

Task<Result<HeldLock>> read_and_write(Contender& self, ReadWriteLock lock, std::uint32_t role) {
  const bool reads_first = role == 1 || role == 2;
  Result<HeldLock> held = failure(Error::kCancelled);
  if (reads_first) {
    held = co_await lock.acquire_read(self.patience());
  } else {
    held = co_await lock.acquire_write(self.patience());
  }
  if (!held) co_return std::move(held);
  if (reads_first) {
    const Result<void> writes = co_await lock.upgrade(*held, self.patience());
    if (!writes) co_return std::move(held);
  }
  if (role == 0) static_cast<void>(held->lost_token());
  if (role == 0 || role == 2) {
    // It holds as a writer or as a reader, whatever comes of this.
    static_cast<void>(co_await lock.downgrade(*held, self.patience()));
  }
  co_return std::move(held);
}

}  // namespace

Task<void> contend_for_read_write_lock(Contender& self, Path lock, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
    if (!session) continue;
    const SessionId id = (*session)->id();
    ReadWriteLock recipe(**session, lock, &self.oracles());
    self.oracles().acquiring(id, index_of(self));
    const std::uint32_t role = (index_of(self) + round) % 4;
    Result<HeldLock> held = co_await read_and_write(self, recipe, role);
    self.oracles().resolved(id);
    if (held) co_await give_back(self, std::move(*held));
  }
}

}  // namespace lockstep::scenarios
