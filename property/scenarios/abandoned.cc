// Tasks that are destroyed while they acquire, change or hold a lock: nothing of theirs may stay.
#include <cstdint>
#include <utility>

#include "lockstep/read_write_lock.h"
#include "lockstep/semaphore.h"
#include "lockstep/task_set.h"
#include "recipes.h"
#include "rounds.h"

namespace lockstep::scenarios {

namespace {

// An attempt that nobody holds up, and the use of its grant, take no more.
constexpr std::uint32_t kMostRoundTrips = 6;

// Destroys the task after that many round trips.
Task<void> abandon(Contender& self, Session& session, Task<void> task, std::uint32_t round_trips) {
  const Context patience;
  Attempt attempt(self, session.id(), patience);
  TaskSet tasks;
  tasks.spawn(std::move(task));
  while (round_trips-- > 0) static_cast<void>(co_await session.exists("/"));
  tasks.clear();
  attempt.end();
  static_cast<void>(co_await session.exists("/"));
}

Task<void> hold_leases(Session& session, Semaphore& semaphore, std::int32_t leases) {
  Result<HeldLocks> held = co_await semaphore.acquire(leases);
  if (!held) co_return;
  static_cast<void>(co_await session.sync("/"));
  static_cast<void>(co_await held->release());
}

Task<void> abandon_leases(Contender& self, Session& session, Path path) {
  Semaphore semaphore(session, std::move(path), 2, &self.oracles());
  const std::int32_t leases = drawn(self, 2) == 0 ? 1 : 2;
  const std::uint32_t round_trips = 1 + drawn(self, kMostRoundTrips);
  co_await abandon(self, session, hold_leases(session, semaphore, leases), round_trips);
}

Task<void> hold_both_ways(Session& session, ReadWriteLock& lock, bool reads_first) {
  Task<Result<HeldLock>> taking = reads_first ? lock.acquire_read() : lock.acquire_write();
  Result<HeldLock> held = co_await std::move(taking);
  if (!held) co_return;
  Task<Result<void>> changing = reads_first ? lock.upgrade(*held) : lock.downgrade(*held);
  static_cast<void>(co_await std::move(changing));
  static_cast<void>(co_await session.sync("/"));
  static_cast<void>(co_await held->release());
}

Task<void> abandon_change(Contender& self, Session& session, Path path) {
  LockOptions options;
  options.revocable = drawn(self, 2) == 1;
  ReadWriteLock lock(session, std::move(path), std::move(options), &self.oracles());
  const bool reads_first = drawn(self, 2) == 0;
  const std::uint32_t round_trips = 1 + drawn(self, kMostRoundTrips);
  co_await abandon(self, session, hold_both_ways(session, lock, reads_first), round_trips);
}

}  // namespace

lab::LockUnderTest semaphore_abandoned() {
  return in_drawn_rounds<&abandon_leases>(judge::semaphore_rules(2));
}
lab::LockUnderTest read_write_lock_abandoned() {
  return in_drawn_rounds<&abandon_change>(judge::read_write_rules());
}

}  // namespace lockstep::scenarios
