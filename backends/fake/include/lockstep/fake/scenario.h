#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/fake/client.h"
#include "lockstep/fakezk/explore/program.h"
#include "lockstep/fakezk/oracles/lock_oracles.h"
#include "lockstep/held_lock.h"
#include "lockstep/task.h"

namespace lockstep::fake {

// How large a scenario is.
struct ScenarioSize {
  std::uint32_t clients = 3;
  std::uint32_t rounds = 1;
};

// One contender of a lock scenario: everything its task needs.
class Contender {
 public:
  Contender(fakezk::Process& process, std::string name, fakezk::LockOracles& oracles)
      : client_(process, std::move(name)), oracles_(oracles) {}

  [[nodiscard]] FakeClient& client() { return client_; }
  [[nodiscard]] const FakeClient& client() const { return client_; }
  [[nodiscard]] fakezk::LockOracles& oracles() { return oracles_; }
  [[nodiscard]] bool finished() const { return finished_; }
  void finish() { finished_ = true; }

 private:
  FakeClient client_;
  fakezk::LockOracles& oracles_;
  bool finished_ = false;
};

// Clients that contend for the lock "/lock": each runs `contend` with its number of rounds, under
// the oracles of a fair, exclusive lock. The sessions are connected and the lock's parent exists
// before the search begins.
class LockScenario final : public fakezk::Program {
 public:
  using Contend = Task<void> (*)(Contender& self, Path lock, std::uint32_t rounds);

  LockScenario(Contend contend, ScenarioSize size) : contend_(contend), size_(size) {}

  void start(fakezk::World& world, fakezk::Verdict& verdict) override;
  void finish(fakezk::World& world) override;
  void clear() override { contenders_.clear(); }
  [[nodiscard]] std::string process_name(std::uint32_t process) const override;

 private:
  static Task<void> run(Contender& self, Contend contend, Path lock, std::uint32_t rounds);
  void connect_all(fakezk::World& world);
  [[nodiscard]] std::string who_waits_for_what() const;

  Contend contend_;
  ScenarioSize size_;
  fakezk::LockOracles oracles_{"-lock-"};
  fakezk::Verdict* verdict_ = nullptr;
  std::deque<Contender> contenders_;
};

// The usual contender: acquires and releases once per round, with whatever session is alive.
// Mutex(Session&, Path, LockObserver*) with acquire() is the recipe.
template <class Mutex>
Task<void> contend_for(Contender& self, Path lock, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
    if (!session) continue;
    Mutex mutex(**session, lock, &self.oracles());
    self.oracles().acquiring((*session)->id(), self.client().process().index());
    Result<HeldLock> held = co_await mutex.acquire();
    self.oracles().resolved((*session)->id());
    if (!held) continue;
    const Path znode = held->znode();
    const ReleaseOutcome outcome = co_await held->release();
    const ReleaseOutcome again = co_await held->release();
    self.oracles().released_again(znode, outcome, again);
  }
}

}  // namespace lockstep::fake
