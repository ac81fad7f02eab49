#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "exhaustive/exploration.h"
#include "exhaustive/finished.h"
#include "exhaustive/frontier.h"
#include "exhaustive/tally.h"
#include "lockstep/search/exhaustive.h"
#include "lockstep/search/hunt.h"

namespace lockstep::search {

// The world and the program of one job.
struct Stage {
  explicit Stage(Program& whose) : program(whose), world(whose.servers()) {}

  Program& program;
  fakezk::World world;
};

// One exploration and its results.
struct Part {
  ExecutionLimits limits;
  FaultsToHappen faults;
  // Set after the search.
  std::optional<Exploration::End> end = {};
  Tally tally = {};
  Found found = {};
  std::string dependence = {};
  std::vector<Fault> others = {};  // Faults that could have happened, too.
};

// Called when a part has ended, by one job at a time.
using WhenEnded = std::function<void(Part&)>;

// Lets jobs search independent parts at the same time, and tells them when to stop.
class PartSearch {
 public:
  // One job for each stage.
  PartSearch(const ExhaustiveOptions& options, std::deque<Stage>& stages, Workers& workers)
      : options_(options), stages_(stages), workers_(workers) {}

  // Searches all parts without an `end`, unless the caller or the bound stops it. If a part ends
  // the search, only the parts before that one are certain to be searched. `deepest` as in Tally.
  void search(std::vector<Part>& parts, std::uint32_t deepest, const WhenEnded& when_ended);
  // Whether the bound on executions is reached.
  [[nodiscard]] bool bounded() const { return executions_ >= options_.executions; }

 private:
  // The first part that has not ended as exhausted.
  using FirstEnd = std::atomic<std::size_t>;

  [[nodiscard]] std::vector<std::size_t> order_of(const std::vector<Part>& parts) const;
  bool goes_on(std::size_t number, const FirstEnd& first_end);
  Exploration::End search(Stage& stage, Part& part, const std::function<bool()>& goes_on);

  const ExhaustiveOptions& options_;
  std::deque<Stage>& stages_;
  Workers& workers_;
  std::atomic<std::uint64_t> executions_ = 0;  // The sum over all jobs.
  std::atomic<bool> stopped_ = false;
  std::mutex telling_;
};

}  // namespace lockstep::search
