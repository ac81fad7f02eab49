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

// A search::Searcher whose executions run in child processes, where they may end their process. On
// one thread.
class ForkedSearcher {
 public:
  using MakeProgram = std::function<std::unique_ptr<search::Program>()>;
  using MakeStrategy = std::function<std::unique_ptr<search::Strategy>()>;

  // `make_program` makes a program with last words, whose execution is searched. A child runs so
  // many executions.
  ForkedSearcher(MakeProgram make_program, MakeStrategy make_strategy,
                 const search::ExecutionLimits& limits, std::uint64_t seed,
                 std::uint32_t executions_per_fork);

  // A child that is killed from outside counts as a slow one.
  [[nodiscard]] ToldTrial run(std::uint64_t index, IfSlow if_slow);
  // The same in a child that has run nothing before.
  [[nodiscard]] ToldTrial run_afresh(std::uint64_t index, IfSlow if_slow);

 private:
  // Runs the default schedule, once. What it tells if that breaks something.
  std::optional<ToldTrial> run_calmly(IfSlow if_slow);

  MakeProgram make_program_;
  MakeStrategy make_strategy_;
  search::ExecutionLimits limits_;
  std::uint64_t seed_;
  std::unique_ptr<search::Searcher> searcher_;
  Worker worker_;
};

// search::hunt() in child processes that run so many executions each, with one job and no coverage.
// If an execution goes another way in a child that has run others before, the hunt begins again
// with a child for each.
struct ForkedResult {
  search::HuntResult result;
  bool ended_process = false;  // The violation that was found has ended its process.
  std::uint32_t executions_per_fork = 1;
};
[[nodiscard]] ForkedResult hunt_in_forks(const search::HuntOptions& options,
                                         std::uint32_t executions_per_fork);

}  // namespace lockstep::lab
