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

LockOptions drawn_options(Contender& self) {
  LockOptions options;
  options.loss = static_cast<LossPolicy>(drawn(self, 3));
  return options;
}

LockOptions drawn_revocable(Contender& self, Duration grace) {
  LockOptions options = drawn_options(self);
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

// An attempt that waits meets no conflict.
template <class Held>
void check_result(Attempt& attempt, const Result<Held>& held, bool waits) {
  if (waits) return attempt.resolved(held);
  attempt.tried(held);
}

template <class Mutex>
Task<void> try_or_wait(Contender& self, Session& session, Mutex& mutex) {
  const bool waits = drawn(self, 2) == 1;
  const Context patience = self.patience();
  Attempt attempt(self, session.id(), patience);
  Task<Result<HeldLock>> taking = waits ? mutex.acquire(patience) : mutex.try_acquire(patience);
  Result<HeldLock> held = co_await std::move(taking);
  check_result(attempt, held, waits);
  if (!held) co_return;
  co_await stay_inside(self, session, *held);
  const bool drops = drawn(self, 2) == 1;
  if (drops) co_return;  // The grant is deleted in the background.
  co_await give_back(self, session, std::move(*held));
}

Task<void> try_fairly(Contender& self, Session& session, Path path) {
  FairMutex mutex(session, std::move(path), drawn_options(self), &self.oracles());
  co_await try_or_wait(self, session, mutex);
}

Task<void> try_unfairly(Contender& self, Session& session, Path path) {
  UnfairMutex mutex(session, path / kTried, drawn_options(self), &self.oracles());
  co_await try_or_wait(self, session, mutex);
}

// ------------------------------------------------------------------------------ read/write locks

Task<Result<HeldLock>> read_or_write(Contender& self, Session& session, ReadWriteLock& lock) {
  using Taking = Task<Result<HeldLock>> (ReadWriteLock::*)(Context);
  constexpr Taking kWays[2][2] = {
      {&ReadWriteLock::try_acquire_read, &ReadWriteLock::try_acquire_write},
      {&ReadWriteLock::acquire_read, &ReadWriteLock::acquire_write}};
  const std::uint32_t waits = drawn(self, 2);
  const std::uint32_t writes = drawn(self, 2);
  const Context patience = self.patience();
  Attempt attempt(self, session.id(), patience);
  Result<HeldLock> held = co_await (lock.*kWays[waits][writes])(patience);
  check_result(attempt, held, waits == 1);
  co_return std::move(held);
}

using Change = Task<Result<void>> (ReadWriteLock::*)(HeldLock&, Context);
using Check = void (Attempt::*)(const Result<void>&);

Task<void> change_if_possible(Contender& self, Session& session, ReadWriteLock& lock,
                              HeldLock& held, Change change, Check check) {
  const Context patience = self.patience();
  Attempt attempt(self, session.id(), patience);
  const Result<void> changed = co_await (lock.*change)(held, patience);
  const bool revoked = !changed && changed.error() == Error::kRevoked;
  if (!revoked) (attempt.*check)(changed);
}

Task<void> upgrade(Contender& self, Session& session, ReadWriteLock& lock, HeldLock& held,
                   bool waits) {
  const Change change = waits ? Change(&ReadWriteLock::upgrade) : &ReadWriteLock::try_upgrade;
  const Check check = waits ? Check(&Attempt::upgraded) : Check(&Attempt::tried);
  return change_if_possible(self, session, lock, held, change, check);
}

Task<void> share_and_change(Contender& self, Session& session, Path path) {
  const bool asks = drawn(self, 2) == 1;
  if (asks) static_cast<void>(co_await revoke(session, path, kReadWriteMarks));
  LockOptions options = drawn_revocable(self, std::chrono::seconds(2));
  ReadWriteLock lock(session, path, std::move(options), &self.oracles());
  Result<HeldLock> held = co_await read_or_write(self, session, lock);
  if (!held) co_return;
  if (held->share() == Share::kShared) {
    const bool waits = drawn(self, 2) == 1;
    co_await upgrade(self, session, lock, *held, waits);
  }
  if (held->share() == Share::kExclusive) {
    co_await stay_inside(self, session, *held);
    co_await change_if_possible(self, session, lock, *held, &ReadWriteLock::downgrade,
                                &Attempt::resolved);
  }
  if (held->share() == Share::kShared) co_await upgrade(self, session, lock, *held, false);
  co_await give_back(self, session, std::move(*held));
}

// ------------------------------------------------------------------------------------ semaphores

Task<void> try_to_lease(Contender& self, Session& session, Path path) {
  const bool asks = drawn(self, 2) == 1;
  if (asks) static_cast<void>(co_await revoke(session, path / "leases", kLeaseMarks));
  const bool waits = drawn(self, 2) == 1;
  const std::int32_t wanted = drawn(self, 2) == 0 ? 1 : 2;
  LockOptions options = drawn_revocable(self, std::chrono::seconds(1));
  Semaphore semaphore(session, path, 2, std::move(options), &self.oracles());
  const Context patience = self.patience();
  Attempt attempt(self, session.id(), patience);
  Task<Result<HeldLocks>> taking =
      waits ? semaphore.acquire(wanted, patience) : semaphore.try_acquire(wanted, patience);
  Result<HeldLocks> held = co_await std::move(taking);
  check_result(attempt, held, waits);
  if (!held) co_return;
  if (std::cmp_not_equal(held->each().size(), wanted)) {
    self.oracles().violated("user:all", "an acquire of several resolved with some of them");
  }
  static_cast<void>(co_await session.sync(path));
  static_cast<void>(co_await held->release());
}

}  // namespace

lab::LockUnderTest fair_mutex_tried() { return in_drawn_rounds<&try_fairly>(judge::mutex_rules()); }
lab::LockUnderTest unfair_mutex_tried() {
  return in_drawn_rounds<&try_unfairly>(judge::single_rules(kTried));
}
lab::LockUnderTest read_write_lock_tried() {
  return in_drawn_rounds<&share_and_change>(judge::read_write_rules());
}
lab::LockUnderTest semaphore_tried() {
  return in_drawn_rounds<&try_to_lease>(judge::semaphore_rules(2));
}

}  // namespace lockstep::scenarios
