#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/fake/client.h"
#include "lockstep/fake/fibers.h"
#include "lockstep/fakezk/explore/program.h"
#include "lockstep/fakezk/oracles/lock_oracles.h"
#include "lockstep/fakezk/oracles/shared_resource.h"
#include "lockstep/held_lock.h"
#include "lockstep/internal/pool_allocator.h"
#include "lockstep/task.h"

namespace lockstep::fake {

// How large a scenario is.
struct ScenarioSize {
  std::uint32_t clients = 3;
  std::uint32_t rounds = 1;
};

// Whether the last contender gives up after a second. That second passes only when nothing else can
// happen, or by the fault `timer`.
enum class LastContender : std::uint8_t { kPatient, kImpatient };

// One contender of a lock scenario: everything its task needs.
class Contender {
 public:
  Contender(fakezk::Process& process, std::string name, fakezk::LockOracles& oracles,
            fakezk::SharedResource& resource, Fibers& fibers)
      : oracles_(oracles), resource_(resource), fibers_(fibers) {
    client_.emplace(process, std::move(name));
  }

  [[nodiscard]] FakeClient& client() { return *client_; }
  [[nodiscard]] const FakeClient& client() const { return *client_; }
  // Its process has crashed and is started again: a client without a session.
  void restart();
  [[nodiscard]] fakezk::LockOracles& oracles() { return oracles_; }
  // What the lock protects. There is one thing in stock.
  [[nodiscard]] fakezk::SharedResource& resource() { return resource_; }
  // Runs code that blocks, as a task of its process.
  [[nodiscard]] Task<void> on_fiber(std::function<void()> body) {
    return fibers_.run(client_->process(), std::move(body));
  }
  // What bounds an acquire that begins now.
  [[nodiscard]] Context patience() const {
    if (!impatient_) return {};
    return {client_->executor().now() + std::chrono::seconds(1)};
  }
  void become_impatient() { impatient_ = true; }
  [[nodiscard]] bool finished() const { return finished_; }
  void finish() { finished_ = true; }

 private:
  std::optional<FakeClient> client_;
  fakezk::LockOracles& oracles_;
  fakezk::SharedResource& resource_;
  Fibers& fibers_;
  bool impatient_ = false;
  bool finished_ = false;
};

using Contenders = std::deque<Contender, internal::PoolAllocator<Contender>>;

// Clients that contend for the lock "/lock": each runs `contend` with its number of rounds, under
// the oracles of a fair, exclusive lock unless other rules are given. The sessions are connected
// and the lock's parent exists before the search begins. If there are several servers, the last one
// is slow: it applies what is committed as late as the search likes. A contender that crashes is
// started again, from its first round.
class LockScenario final : public fakezk::Program, private fakezk::Restarter {
 public:
  using Contend = Task<void> (*)(Contender& self, Path lock, std::uint32_t rounds);

  // Judges what is left when nothing can happen any more.
  using CheckAtEnd = void (*)(const fakezk::World& world, fakezk::Verdict& verdict);

  LockScenario(Contend contend, ScenarioSize size, LastContender last = LastContender::kPatient,
               fakezk::LockRules rules = fakezk::mutex_rules(), CheckAtEnd check_at_end = nullptr,
               fakezk::ReplicaIndex replicas = 1,
               Duration tick_time = fakezk::ServerOptions().tick_time)
      : contend_(contend),
        size_(size),
        last_(last),
        check_at_end_(check_at_end),
        replicas_(replicas),
        tick_time_(tick_time),
        oracles_(std::move(rules)) {}

  [[nodiscard]] fakezk::ServerOptions servers() const override;
  void reset(fakezk::World& world) override;
  void start(fakezk::World& world, fakezk::Verdict& verdict) override;
  [[nodiscard]] fakezk::Restarter* restarter() override { return this; }
  void finish(fakezk::World& world) override;
  void clear() override;
  [[nodiscard]] bool isolated() const override { return true; }
  [[nodiscard]] std::string process_name(std::uint32_t process) const override;

 private:
  static Task<void> run(Contender& self, Contend contend, Path lock, std::uint32_t rounds);
  void restart(fakezk::Process& process) override;
  void add_contenders(fakezk::World& world);
  void prepare(fakezk::World& world);
  void resume();
  [[nodiscard]] std::string who_waits_for_what(const fakezk::World& world) const;
  [[nodiscard]] std::string whose(const fakezk::World& world, const Path& znode,
                                  const Contender& waiter) const;

  Contend contend_;
  ScenarioSize size_;
  LastContender last_;
  CheckAtEnd check_at_end_;
  fakezk::ReplicaIndex replicas_;
  Duration tick_time_;
  fakezk::LockOracles oracles_;
  fakezk::SharedResource resource_;
  Fibers fibers_;
  fakezk::Verdict* verdict_ = nullptr;
  Contenders contenders_;
  // Where the search begins, as the first start() has prepared it.
  std::optional<fakezk::World::Checkpoint> prepared_;
  std::vector<FakeSession::Snapshot> sessions_;  // By contender.
  bool resumes_ = false;
};

// Mutex::acquire, bounded if it can be.
template <class Mutex>
Task<Result<HeldLock>> acquire(Mutex& mutex, Context patience) {
  if constexpr (requires { mutex.acquire(patience); }) {
    return mutex.acquire(std::move(patience));
  } else {
    return mutex.acquire();
  }
}

// The usual contender: acquires and releases once per round, with whatever session is alive.
// Mutex(Session&, Path, LockObserver*) with acquire(), or acquire(Context), is the recipe.
template <class Mutex>
Task<void> contend_for(Contender& self, Path lock, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
    if (!session) continue;
    const SessionId id = (*session)->id();
    Mutex mutex(**session, lock, &self.oracles());
    const Context patience = self.patience();
    self.oracles().acquiring(id, self.client().process().index(), patience.deadline());
    Result<HeldLock> held = co_await acquire(mutex, patience);
    self.oracles().resolved(id);
    if (!held) continue;
    const Path znode = held->znode();
    const ReleaseOutcome outcome = co_await held->release();
    const ReleaseOutcome again = co_await held->release();
    self.oracles().released_again(znode, outcome, again);
  }
}

}  // namespace lockstep::fake
