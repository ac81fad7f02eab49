// The recipes, as blocking code uses them.
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stop_token>
#include <system_error>
#include <utility>

#include "blocking_rounds.h"
#include "lockstep/blocking/mutex.h"
#include "lockstep/blocking/read_write_lock.h"
#include "lockstep/blocking/semaphore.h"
#include "recipes.h"
#include "registry.h"

namespace lockstep::scenarios {

namespace {

using lab::LastContender;

// ----------------------------------------------------------------------------------- fair-mutex

void acquire(Contender& self, SessionId session, std::unique_lock<blocking::FairMutex>& held) {
  const std::optional<TimePoint> deadline = self.patience().deadline();
  self.oracles().acquiring(session, self.client().process().index(), deadline);
  try {
    if (deadline) {
      static_cast<void>(held.try_lock_until(*deadline));
    } else {
      held.lock();
    }
  } catch (const std::system_error&) {  // Nothing is held then.
  }
  self.oracles().resolved(session);
}

void block_fairly(Contender& self, const Path& lock, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<SessionId> session = lab::blocking_session_id(self.client());
    if (!session) continue;
    blocking::FairMutex mutex(self.client(), lock, &self.oracles());
    std::unique_lock held(mutex, std::defer_lock);
    acquire(self, *session, held);
    if (held) work(self, mutex);
  }
}

Task<void> contend_fairly(Contender& self, Path lock, std::uint32_t rounds) {
  return self.on_fiber(
      [&self, lock = std::move(lock), rounds] { block_fairly(self, lock, rounds); });
}

// ------------------------------------------------------------------------------------- the others

// One round with a new lock. A std::system_error ends it.
using Round = void (*)(Contender& self, const Path& lock, std::uint32_t role);

void each_round(Contender& self, const Path& lock, std::uint32_t rounds, Round round) {
  const std::uint32_t process = self.client().process().index();
  for (std::uint32_t i = 0; i < rounds; ++i) {
    const Result<SessionId> session = lab::blocking_session_id(self.client());
    if (!session) continue;
    self.oracles().acquiring(*session, process);
    try {
      round(self, lock, process + i);
    } catch (const std::system_error&) {  // The next round is a new attempt.
    }
    self.oracles().resolved(*session);
  }
}

template <Round kRound>
Task<void> contend(Contender& self, Path lock, std::uint32_t rounds) {
  return self.on_fiber(
      [&self, lock = std::move(lock), rounds] { each_round(self, lock, rounds, kRound); });
}

void read_or_write(Contender& self, const Path& path, std::uint32_t role) {
  blocking::ReadWriteLock lock(self.client(), path, &self.oracles());
  if (role % 2 == 0) {
    const std::unique_lock writing(lock);
    work(self, lock);
  } else {
    const std::shared_lock reading(lock);
  }
}

void lease(Contender& self, const Path& path, std::uint32_t) {
  blocking::Semaphore semaphore(self.client(), path, 2, &self.oracles());
  semaphore.acquire();
  semaphore.release();
}

}  // namespace

lab::LockUnderTest blocking_fair_mutex() {
  return contention(&contend_fairly, LastContender::kImpatient);
}
lab::LockUnderTest blocking_read_write_lock() {
  return contention(&contend<&read_or_write>, LastContender::kPatient, judge::read_write_rules());
}
lab::LockUnderTest blocking_semaphore() {
  return contention(&contend<&lease>, LastContender::kPatient, judge::semaphore_rules(2));
}

}  // namespace lockstep::scenarios
