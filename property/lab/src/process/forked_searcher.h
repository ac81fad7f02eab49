#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "lockstep/search/hunt.h"
#include "process/child.h"
#include "process/ends.h"

namespace lockstep::lab {

// A search::Searcher whose executions run in child processes, one each: they find all memory as it
// was, and may end their process. On one thread.
class ForkedSearcher {
 public:
  using MakeProgram = std::function<std::unique_ptr<search::Program>()>;
  using MakeStrategy = std::function<std::unique_ptr<search::Strategy>()>;

  // `make_program` makes a program with last words, whose execution is searched.
  ForkedSearcher(MakeProgram make_program, MakeStrategy make_strategy,
                 const search::ExecutionLimits& limits, std::uint64_t seed);

  // A child that is killed from outside counts as a slow one.
  [[nodiscard]] ToldTrial run(std::uint64_t index, IfSlow if_slow);

 private:
  // Runs the default schedule, once. What it tells if that breaks something.
  std::optional<ToldTrial> run_calmly(IfSlow if_slow);

  MakeProgram make_program_;
  MakeStrategy make_strategy_;
  search::ExecutionLimits limits_;
  std::uint64_t seed_;
  std::unique_ptr<search::Searcher> searcher_;
};

// search::hunt(), with each execution in a process of its own, one job and no coverage.
struct ForkedResult {
  search::HuntResult result;
  bool ended_process = false;  // The violation that was found has ended its process.
};
[[nodiscard]] ForkedResult hunt_in_forks(const search::HuntOptions& options);

}  // namespace lockstep::lab
