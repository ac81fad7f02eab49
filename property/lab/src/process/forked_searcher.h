#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "lockstep/search/hunt.h"
#include "process/child.h"
#include "process/ends.h"
#include "process/worker.h"

namespace lockstep::lab {

// A search::Searcher whose executions run in child processes, where they may end their process.
// Stays on one thread.
class ForkedSearcher {
 public:
  using MakeProgram = std::function<std::unique_ptr<search::Program>()>;
  using MakeStrategy = std::function<std::unique_ptr<search::Strategy>()>;

  // `make_program` makes a program with last words, whose executions are searched. One child runs
  // that many executions.
  ForkedSearcher(MakeProgram make_program, MakeStrategy make_strategy,
                 const search::ExecutionLimits& limits, std::uint64_t seed,
                 std::uint32_t executions_per_fork);

  // Runs an execution. A child that is killed from outside counts as slow.
  [[nodiscard]] ReportedTrial run(std::uint64_t index, IfSlow if_slow);
  // The same in a child that has run no other execution.
  [[nodiscard]] ReportedTrial run_afresh(std::uint64_t index, IfSlow if_slow);

 private:
  // Runs the default schedule once. Returns its trial if that violates something.
  std::optional<ReportedTrial> run_calmly(IfSlow if_slow);

  MakeProgram make_program_;
  MakeStrategy make_strategy_;
  search::ExecutionLimits limits_;
  std::uint64_t seed_;
  std::unique_ptr<search::Searcher> searcher_;
  Worker worker_;
};

// search::hunt() in child processes, each for that many executions, with one job and no coverage.
// If a child's earlier executions change a later one, the hunt begins again with one child per
// execution.
struct ForkedResult {
  search::HuntResult result;
  bool ended_process = false;  // The violation has ended its process.
  std::uint32_t executions_per_fork = 1;
};
[[nodiscard]] ForkedResult hunt_in_forks(const search::HuntOptions& options,
                                         std::uint32_t executions_per_fork);

}  // namespace lockstep::lab
