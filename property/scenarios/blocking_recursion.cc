// A read/write lock that threads enter again.
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>

#include "blocking_rounds.h"
#include "lockstep/blocking/recursive_read_write_lock.h"
#include "recipes.h"

namespace lockstep::scenarios {

namespace {

void expect(Contender& self, bool holds, std::string_view what) {
  if (!holds) self.oracles().violated("user:reentry", std::string(what));
}

// Returns whether enter() let the holder in again. It must not after a loss that the holder could
// know of; without faults it must, unless another writer waits.
template <class Enter>
bool enters_again(Contender& self, const std::stop_token& lost, Enter enter) {
  const bool was_lost = lost.stop_requested();
  bool entered = false;
  try {
    entered = enter();
  } catch (const std::system_error& error) {
    const bool struck = self.client().process().world().kinds_injected() != 0;
    const bool conflict = error.code() == std::errc::device_or_resource_busy;
    expect(self, conflict || struck, "a holder was not let in again");
  }
  expect(self, !entered || !was_lost, "a lost lock was entered again");
  return entered;
}

// A holder that knows of its loss does not enter what the lock protects.
std::optional<Error> known_loss(const std::stop_token& lost) {
  if (lost.stop_requested()) return Error::kContactLost;
  return std::nullopt;
}

// Writes, also reads meanwhile, and then only reads.
void write_and_read_on(Contender& self, blocking::RecursiveReadWriteLock& lock) {
  const std::stop_token lost = lock.lost_token();
  bool reads = false;
  {
    Inside inside(self, *self.client().current(), known_loss(lost));
    inside.leave_at(lost);
    reads = enters_again(self, lost, [&] {
      lock.lock_shared();
      return true;
    });
  }
  lock.unlock();
  if (!reads) return;
  const std::stop_token lost_since = lock.lost_token();
  const bool again = enters_again(self, lost_since, [&] { return lock.try_lock_shared(); });
  expect(self, again || lost_since.stop_requested(), "a reader was not let in again");
}

// Reads, writes if it may, and then only reads.
void read_and_write_inside(Contender& self, SessionId session,
                           blocking::RecursiveReadWriteLock& lock) {
  const std::stop_token lost = lock.lost_token();
  bool writes = false;
  patiently(self, session, [&](std::optional<TimePoint> deadline) {
    writes = enters_again(self, lost, [&] {
      if (deadline) return lock.try_lock_until(*deadline);
      lock.lock();
      return true;
    });
  });
  if (!writes) return;
  work(self, lock);
  lock.unlock();
}

void write_twice(Contender& self, blocking::RecursiveReadWriteLock& lock) {
  const std::stop_token lost = lock.lost_token();
  Inside inside(self, *self.client().current(), known_loss(lost));
  inside.leave_at(lost);
  enters_again(self, lost, [&] {
    lock.lock();
    return true;
  });
}

// Unlocks every level.
void unlock_all(blocking::RecursiveReadWriteLock& lock) {
  try {
    for (;;) lock.unlock_shared();
  } catch (const std::system_error&) {  // No level is left.
  }
  try {
    for (;;) lock.unlock();
  } catch (const std::system_error&) {  // As above.
  }
}

void enter_twice(Contender& self, SessionId session, const Path& path, std::uint32_t role) {
  blocking::RecursiveReadWriteLock lock(self.client(), path, &self.oracles());
  bool held = true;
  patiently(self, session, [&](std::optional<TimePoint> deadline) {
    const bool reads = role % 3 == 1;
    if (deadline) {
      held = reads ? lock.try_lock_shared_until(*deadline) : lock.try_lock_until(*deadline);
    } else if (reads) {
      lock.lock_shared();
    } else {
      lock.lock();
    }
  });
  if (!held) return;
  switch (role % 3) {
    case 0: write_and_read_on(self, lock); break;
    case 1: read_and_write_inside(self, session, lock); break;
    default: write_twice(self, lock);
  }
  unlock_all(lock);
}

}  // namespace

lab::LockUnderTest blocking_recursive_read_write_lock() {
  return contention(&block_in_rounds<&enter_twice>, lab::LastContender::kImpatient,
                    judge::read_write_rules());
}

}  // namespace lockstep::scenarios
