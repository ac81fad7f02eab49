#pragma once

#include <deque>

#include "lockstep/judge/lock_oracles.h"
#include "lockstep/judge/shared_resource.h"
#include "lockstep/lab/contender.h"
#include "lockstep/lab/lock_under_test.h"
#include "lockstep/threads/threads_program.h"
#include "thread_bodies.h"

namespace lockstep::hunted {

// Contenders of a lock on the production backend, like those of LockScenario on the fake. One that
// crashes begins again with its first round; its allocations are never freed.
class ProductionProgram final : public threads::ThreadsProgram, private fakezk::Restarter {
 public:
  ProductionProgram(lab::LockUnderTest lock, lab::ScenarioSize size, bool is_coarse);

  [[nodiscard]] fakezk::ServerOptions servers() const override;
  void committed() override { oracles_.committed(); }
  [[nodiscard]] search::Judgements judgements() const override;
  [[nodiscard]] std::string process_name(std::uint32_t process) const override;
  [[nodiscard]] fakezk::Restarter* restarter() override { return this; }

 private:
  [[nodiscard]] std::vector<std::function<void()>> bodies() override;
  void prepare(fakezk::World& world, search::Verdict& verdict) override;
  void judge_end(fakezk::World& world) override;
  // The backend's own timers and proofs of life go on forever: only changes of the servers' tree
  // count. A holder takes at most a minute (Contender::holding_time).
  [[nodiscard]] std::uint64_t progress(const fakezk::World& world) override;
  [[nodiscard]] Duration patience() const override { return std::chrono::seconds(70); }
  [[nodiscard]] search::Oracle hang_breaks() const override { return search::Oracle::kL1; }
  void forget() override { oracles_.end(); }
  void restart(fakezk::Process& process) override;
  // Runs on the thread of one contender.
  void contend(std::uint32_t index);
  [[nodiscard]] std::string connection_string() const;

  lab::LockUnderTest lock_;
  Path lock_path_ = Path("/lock");
  lab::ScenarioSize size_;
  bool is_impatient_;
  judge::LockOracles oracles_;
  judge::SharedResource resource_;
  ThreadBodies thread_bodies_;
  std::uint32_t attempts_ = 0;
  std::uint32_t grants_ = 0;
  std::string groundless_;  // Says which acquire has failed without a cause.
};

}  // namespace lockstep::hunted
