#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/lab/contend_for.h"
#include "lockstep/lab/fibers.h"
#include "lockstep/lab/lock_under_test.h"
#include "lockstep/search/program.h"

namespace lockstep::lab {

// The most steps of an execution of this size, if so many are usual for a small one. Its acquires
// count, and how many contenders each release can wake: 64 clients with 10 rounds each have 40
// times as many.
[[nodiscard]] constexpr std::uint32_t most_steps_of(ScenarioSize size, std::uint32_t usual) {
  constexpr std::uint32_t kAcquires = 64;
  constexpr std::uint32_t kWakes = 1024;
  const std::uint32_t acquires = size.clients * size.rounds;
  const std::uint32_t by_acquires = acquires / kAcquires;
  const std::uint32_t by_wakes = acquires * size.clients / kWakes;
  const std::uint32_t times = by_acquires > by_wakes ? by_acquires : by_wakes;
  return times > 1 ? usual * times : usual;
}

// Clients that contend for the lock "/lock": each runs `contend` with its number of rounds, under
// the oracles of a fair, exclusive lock unless other rules are given. The sessions are connected
// and the lock's parent exists before the search begins. If there are several servers, the last one
// is slow: it applies committed transactions as late as the search decides. A contender that
// crashes is started again, from its first round.
class LockScenario final : public search::Program,
                           private fakezk::Restarter,
                           private fakezk::RestWatcher {
 public:
  using Contend = Task<void> (*)(Contender& self, Path lock, std::uint32_t rounds);
  using CheckAtEnd = void (*)(const fakezk::World& world, search::Verdict& verdict);

  LockScenario(LockUnderTest lock, ScenarioSize size)
      : lock_(std::move(lock)), size_(size), oracles_(lock_.rules) {}

  [[nodiscard]] fakezk::ServerOptions servers() const override;
  void reset(fakezk::World& world) override;
  void start(fakezk::World& world, search::Verdict& verdict) override;
  void after_step(fakezk::World& world, search::Verdict& verdict) override {
    if (lock_.invariant) lock_.invariant(world, verdict);
  }
  [[nodiscard]] bool judges_each_step() const override { return lock_.invariant != nullptr; }
  [[nodiscard]] std::uint32_t most_steps(std::uint32_t usual) const override {
    return most_steps_of(size_, usual);
  }
  [[nodiscard]] fakezk::Restarter* restarter() override { return this; }
  void committed() override { oracles_.committed(); }
  void finish(fakezk::World& world) override;
  [[nodiscard]] search::Judgements judgements() const override;
  void clear() override;
  [[nodiscard]] bool isolated() const override { return lock_.shares_nothing(); }
  [[nodiscard]] std::string process_name(std::uint32_t process) const override;

 private:
  void run(Contender& contender) {
    contender.run(lock_.contend(contender, lock_path_, size_.rounds));
  }
  void restart(fakezk::Process& process) override;
  void at_rest(TimePoint until) override { oracles_.at_rest(until); }
  void add_contenders(fakezk::World& world);
  void prepare(fakezk::World& world);
  void create_lock(fakezk::World& world);
  void resume();
  void check_grants(const fakezk::World& world) const;
  void check_failures(const fakezk::World& world) const;
  void check_draws(const fakezk::World& world) const;
  [[nodiscard]] std::string who_waits_for_what(const fakezk::World& world) const;
  [[nodiscard]] std::string whose(const fakezk::World& world, const Path& znode,
                                  const Contender& waiter) const;

  LockUnderTest lock_;
  // Created per scenario: copies of a path share a reference count, and scenarios run on several
  // threads.
  Path lock_path_ = Path("/lock");
  ScenarioSize size_;
  judge::LockOracles oracles_;
  judge::SharedResource resource_;
  Fibers fibers_;
  search::Verdict* verdict_ = nullptr;
  Contenders contenders_;  // Reused by all executions in one world.
  // The starting point of the search, prepared by the first start().
  std::optional<fakezk::World::Checkpoint> prepared_;
  std::vector<fake::FakeSession::Snapshot> sessions_;  // By contender.
  bool resumes_ = false;
};

}  // namespace lockstep::lab
