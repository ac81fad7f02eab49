// Attempts that do not wait for others, beside contenders that do. Their grants are lost by
// different rules (LossPolicy), and those of some locks can be revoked.
#include <chrono>
#include <utility>

#include "lockstep/fair_mutex.h"
#include "lockstep/read_write_lock.h"
#include "lockstep/revocation.h"
#include "lockstep/semaphore.h"
#include "lockstep/unfair_mutex.h"
#include "recipes.h"
#include "rounds.h"

namespace lockstep::scenarios {

namespace {

constexpr std::string_view kTried = "tried";

LockOptions options_for(std::uint32_t role) {
  LockOptions options;
  options.loss = static_cast<LossPolicy>(role % 3);
  return options;
}

LockOptions revocable_for(std::uint32_t role, Duration grace) {
  LockOptions options = options_for(role);
  options.revocable = true;
  options.grace = grace;
  return options;
}

Task<void> stay_inside(Contender& self, Session& session, const HeldLock& held) {
  Inside inside(self, session, held.cause());
  inside.leave_at(held.lost_token());
  static_cast<void>(co_await session.sync("/"));
}

// ------------------------------------------------------------------------------------- mutexes

template <class Mutex>
Task<void> try_or_wait(Contender& self, Session& session, Mutex& mutex, std::uint32_t role) {
  const Context patience = self.patience();
  Acquiring acquiring(self, session, patience);
  Task<Result<HeldLock>> taking =
      role % 2 == 0 ? mutex.try_acquire(patience) : mutex.acquire(patience);
  Result<HeldLock> held = co_await std::move(taking);
  acquiring.tried(held);
  if (!held) co_return;
  co_await stay_inside(self, session, *held);
  if (role % 3 == 1) co_return;  // Drops the grant, which is deleted in the background.
  co_await give_back(self, session, std::move(*held));
}

Task<void> try_fairly(Contender& self, Session& session, Path path, std::uint32_t role) {
  FairMutex mutex(session, std::move(path), options_for(role), &self.oracles());
  co_await try_or_wait(self, session, mutex, role);
}

Task<void> try_unfairly(Contender& self, Session& session, Path path, std::uint32_t role) {
  UnfairMutex mutex(session, path / kTried, options_for(role), &self.oracles());
  co_await try_or_wait(self, session, mutex, role);
}

// ------------------------------------------------------------------------------ read/write locks

Task<Result<HeldLock>> read_or_write(Contender& self, Session& session, ReadWriteLock& lock,
                                     std::uint32_t role) {
  using Taking = Task<Result<HeldLock>> (ReadWriteLock::*)(Context);
  constexpr Taking kWays[] = {&ReadWriteLock::try_acquire_read, &ReadWriteLock::acquire_read,
                              &ReadWriteLock::try_acquire_write, &ReadWriteLock::acquire_write};
  const Context patience = self.patience();
  Acquiring acquiring(self, session, patience);
  Result<HeldLock> held = co_await (lock.*kWays[role % 4])(patience);
  acquiring.tried(held);
  co_return std::move(held);
}

using Change = Task<Result<void>> (ReadWriteLock::*)(HeldLock&, Context);

Task<void> change_if_possible(Contender& self, Session& session, ReadWriteLock& lock,
                              HeldLock& held, Change change) {
  const Context patience = self.patience();
  Acquiring acquiring(self, session, patience);
  const Result<void> changed = co_await (lock.*change)(held, patience);
  const bool revoked = !changed && changed.error() == Error::kRevoked;
  if (!revoked) acquiring.tried(changed);
}

Task<void> share_and_change(Contender& self, Session& session, Path path, std::uint32_t role) {
  if (role % 2 == 1) static_cast<void>(co_await revoke(session, path, kReadWriteMarks));
  LockOptions options = revocable_for(role, std::chrono::seconds(2));
  ReadWriteLock lock(session, path, std::move(options), &self.oracles());
  Result<HeldLock> held = co_await read_or_write(self, session, lock, role);
  if (!held) co_return;
  if (held->share() == Share::kShared) {
    const Change change =
        role % 8 < 4 ? Change(&ReadWriteLock::upgrade) : Change(&ReadWriteLock::try_upgrade);
    co_await change_if_possible(self, session, lock, *held, change);
  }
  if (held->share() == Share::kExclusive) {
    co_await stay_inside(self, session, *held);
    co_await change_if_possible(self, session, lock, *held, &ReadWriteLock::downgrade);
  }
  if (held->share() == Share::kShared) {
    co_await change_if_possible(self, session, lock, *held, &ReadWriteLock::try_upgrade);
  }
  co_await give_back(self, session, std::move(*held));
}

// ------------------------------------------------------------------------------------ semaphores

Task<void> try_to_lease(Contender& self, Session& session, Path path, std::uint32_t role) {
  if (role % 2 == 1) static_cast<void>(co_await revoke(session, path / "leases", kLeaseMarks));
  const bool waits = role % 2 == 1;
  const std::int32_t wanted = role % 4 == 1 || role % 4 == 2 ? 1 : 2;
  LockOptions options = revocable_for(role, std::chrono::seconds(1));
  Semaphore semaphore(session, path, 2, std::move(options), &self.oracles());
  const Context patience = self.patience();
  Acquiring acquiring(self, session, patience);
  Task<Result<HeldLocks>> taking =
      waits ? semaphore.acquire(wanted, patience) : semaphore.try_acquire(wanted, patience);
  Result<HeldLocks> held = co_await std::move(taking);
  acquiring.tried(held);
  if (!held) co_return;
  if (std::cmp_not_equal(held->each().size(), wanted)) {
    self.oracles().violated("user:all", "an acquire of several resolved with some of them");
  }
  static_cast<void>(co_await session.sync(path));
  static_cast<void>(co_await held->release());
}

}  // namespace

lab::LockUnderTest fair_mutex_tried() { return in_rounds<&try_fairly>(judge::mutex_rules()); }
lab::LockUnderTest unfair_mutex_tried() {
  return in_rounds<&try_unfairly>(judge::single_rules(kTried));
}
lab::LockUnderTest read_write_lock_tried() {
  return in_rounds<&share_and_change>(judge::read_write_rules());
}
lab::LockUnderTest semaphore_tried() { return in_rounds<&try_to_lease>(judge::semaphore_rules(2)); }

}  // namespace lockstep::scenarios
