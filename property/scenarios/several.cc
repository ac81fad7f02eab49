// Several grants at once: leases of a semaphore, and locks of different recipes.
#include <string_view>
#include <utility>

#include "lockstep/lock_set.h"
#include "lockstep/multi_lock.h"
#include "lockstep/semaphore.h"
#include "recipes.h"
#include "rounds.h"
#include "wanted_locks.h"

namespace lockstep::scenarios {

namespace {

void check_all(Contender& self, const HeldLocks& held, std::size_t wanted) {
  if (held.each().size() == wanted) return;
  self.oracles().violated("user:all", "an acquire of several resolved with some of them");
}

Task<void> give_all_back(Contender& self, Session& session, Path path, HeldLocks held) {
  std::optional<Error> cause;
  for (const HeldLock& each : held.each()) {
    check_before_release(self, session, each);
    if (each.cause()) cause = each.cause();
  }
  const ReleaseOutcome outcome = co_await held.release();
  const ReleaseOutcome again = co_await held.release();
  check_release(self, path, cause, outcome, again);
}

// ------------------------------------------------------------------------------------ semaphore

// An observer can see the owner of a lease.
Task<void> check_data(Contender& self, Session& session, Semaphore& semaphore) {
  const auto leases = co_await semaphore.leases();
  if (!leases) co_return;
  for (const QueueEntry& lease : *leases) {
    const bool ours = lease.stat.ephemeral_owner == session.id();
    if (!ours || lease.data.view() == self.client().name()) continue;
    self.oracles().violated("user:data", "a lease has not the data of its holder");
  }
}

Task<void> lease_several(Contender& self, Session& session, Path path, std::uint32_t role) {
  const std::int32_t wanted = role % 3 == 2 ? 1 : 2;
  LockOptions options{Data(std::string_view(self.client().name()))};
  Semaphore semaphore(session, path, 2, std::move(options), &self.oracles());
  const Context patience = self.patience();
  Attempt attempt(self, session.id(), patience);
  Result<HeldLocks> held = co_await semaphore.acquire(wanted, patience);
  attempt.resolved(held);
  if (!held) co_return;
  check_all(self, *held, static_cast<std::size_t>(wanted));
  if (role % 3 == 0) co_await check_data(self, session, semaphore);
  co_await give_all_back(self, session, path, std::move(*held));
}

// ----------------------------------------------------------------------------------- multi-lock

Task<void> hold_any(Contender& self, Session& session, Path path, std::uint32_t role) {
  MultiLock all(session, wanted_by(path, role), &self.oracles());
  const Context patience = self.patience();
  Attempt attempt(self, session.id(), patience);
  Result<HeldLocks> held = co_await all.acquire(patience);
  attempt.resolved(held);
  if (!held) co_return;
  constexpr std::size_t kGrants[] = {4, 2, 3};
  check_all(self, *held, kGrants[role % 3]);
  // These contenders hold the mutex, which comes first.
  if (role % 3 != 1) co_await work(self, session, held->each().front());
  co_await give_all_back(self, session, path, std::move(*held));
}

}  // namespace

lab::LockUnderTest semaphore_several() {
  return in_rounds<&lease_several>(judge::semaphore_rules(2));
}

lab::LockUnderTest multi_lock_of_any_kind() {
  judge::LockRules rules = judge::read_write_rules();
  rules.marks.push_back(Mark{kLockMark, Share::kExclusive});
  rules.lease = kLeaseMark;
  rules.capacity = 2;
  return in_rounds<&hold_any>(std::move(rules));
}

}  // namespace lockstep::scenarios
