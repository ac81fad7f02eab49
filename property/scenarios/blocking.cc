// The recipes as code that blocks uses them.
#include <mutex>
#include <shared_mutex>
#include <system_error>
#include <utility>

#include "lockstep/blocking/mutex.h"
#include "lockstep/blocking/read_write_lock.h"
#include "lockstep/blocking/semaphore.h"
#include "lockstep/fake/blocking_scenario.h"
#include "recipes.h"

namespace lockstep::scenarios {

namespace {

using fake::Contender;
using fake::LastContender;
using fake::LockScenario;
using fake::ScenarioSize;

// One round: with a lock that is made for it. What it throws as std::system_error ends it.
using Round = void (*)(Contender& self, Path lock, std::uint32_t role);

void each_round(Contender& self, Path lock, std::uint32_t rounds, Round round) {
  const std::uint32_t process = self.client().process().index();
  for (std::uint32_t i = 0; i < rounds; ++i) {
    const Result<SessionId> session = fake::blocking_session_id(self.client());
    if (!session) continue;
    self.oracles().acquiring(*session, process);
    try {
      round(self, lock, process + i);
    } catch (const std::system_error&) {
    }
    self.oracles().resolved(*session);
  }
}

template <Round kRound>
Task<void> contend(Contender& self, Path lock, std::uint32_t rounds) {
  return self.on_fiber([&self, lock, rounds] { each_round(self, lock, rounds, kRound); });
}

void read_or_write(Contender& self, Path path, std::uint32_t role) {
  blocking::ReadWriteLock lock(self.client(), path, &self.oracles());
  if (role % 2 == 0) {
    const std::unique_lock writing(lock);
  } else {
    const std::shared_lock reading(lock);
  }
}

void lease(Contender& self, Path path, std::uint32_t) {
  blocking::Semaphore semaphore(self.client(), path, 2, &self.oracles());
  semaphore.acquire();
  semaphore.release();
}

}  // namespace

std::unique_ptr<fakezk::Program> blocking_fair_mutex(ScenarioSize size) {
  return std::make_unique<LockScenario>(&fake::contend_blocking_for<blocking::FairMutex>, size,
                                        LastContender::kImpatient);
}
std::unique_ptr<fakezk::Program> blocking_read_write_lock(ScenarioSize size) {
  return std::make_unique<LockScenario>(&contend<&read_or_write>, size, LastContender::kPatient,
                                        fakezk::read_write_rules());
}
std::unique_ptr<fakezk::Program> blocking_semaphore(ScenarioSize size) {
  return std::make_unique<LockScenario>(&contend<&lease>, size, LastContender::kPatient,
                                        fakezk::semaphore_rules(2));
}

}  // namespace lockstep::scenarios
