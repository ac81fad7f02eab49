#include "lockstep/search/exhaustive.h"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <set>
#include <utility>

#include "exhaustive/parts.h"
#include "lockstep/internal/check.h"
#include "lockstep/search/exhaustive_jobs.h"

namespace lockstep::search {

namespace {

constexpr std::array kReductions = {ReductionName{"none", Reduction::kNone},
                                    ReductionName{"sleep", Reduction::kSleep},
                                    ReductionName{"source", Reduction::kSource}};

// Searches budget by budget; with source sets, one exploration for each combination of faults.
class Search {
 public:
  Search(const ExhaustiveOptions& options, std::deque<Stage>& stages, Workers& workers)
      : options_(options), parts_(options, stages, workers) {}

  ExhaustiveResult run() {
    const std::uint32_t most = options_.limits.faults.any() ? options_.limits.faults.total() : 0;
    std::set<Faults> combinations = {Faults()};
    for (std::uint32_t budget = 0; budget <= most; ++budget) {
      result_.fault_budget_reached = budget;
      const bool done = options_.reduction == Reduction::kSource
                            ? try_each(combinations, budget < most)
                            : try_any(budget);
      if (!done) return finished(false);
      if (tally_.cut > 0) continue;  // Larger budgets may still show a violation.
      result_.fault_budget = budget;
      ++result_.budgets_finished;
    }
    return finished(tally_.cut == 0);
  }

 private:
  ExhaustiveResult finished(bool exhausted) {
    result_.exhausted = exhausted;
    result_.traces = tally_.traces;
    result_.executions = tally_.executions;
    result_.steps = tally_.steps;
    result_.trace_hash = tally_.trace_hash;
    result_.trace_set_hash = tally_.trace_set_hash;
    result_.pairs_checked = tally_.pairs_checked;
    result_.cut = tally_.cut;
    result_.deepest = tally_.deepest;
    result_.final_states = tally_.final_states.size();
    for (const std::uint64_t state : tally_.final_states) result_.state_hash += fakezk::mix(state);
    return std::move(result_);
  }

  // Any faults, up to the budget, in one exploration, which covers the smaller budgets too.
  bool try_any(std::uint32_t budget) {
    tally_.traces = 0;
    tally_.trace_hash = 0;
    tally_.trace_set_hash = 0;
    tally_.final_states.clear();
    std::vector<Part> parts = {{options_.limits, FaultsToHappen()}};
    parts.front().limits.faults.set_total(budget);
    return explored(parts);
  }

  // One exploration for each combination of faults; the other faults that were possible make the
  // next, larger combinations.
  bool try_each(std::set<Faults>& combinations, bool more_follow) {
    std::vector<Part> parts;
    for (const Faults& faults : combinations) {
      Part& part = parts.emplace_back(options_.limits, FaultsToHappen{faults, more_follow});
      // One more than will happen, to see which others are possible.
      part.limits.faults.set_total(static_cast<std::uint32_t>(faults.size()) + 1);
    }
    if (!explored(parts)) return false;
    combinations.clear();
    for (const Part& part : parts) {
      for (const Fault& fault : part.others) {
        Faults more = part.faults.faults;
        more.insert(std::ranges::upper_bound(more, fault), fault);
        combinations.insert(std::move(more));
      }
    }
    return true;
  }

  void count_kinds(const Faults& faults, std::uint64_t traces) {
    std::set<fakezk::FaultKind> kinds;
    for (const Fault& fault : faults) kinds.insert(fault_of(fault.key));
    auto& counts = result_.traces_by_fault;
    for (const fakezk::FaultKind kind : kinds) {
      const auto known =
          std::ranges::find(counts, kind, &std::pair<fakezk::FaultKind, std::uint64_t>::first);
      if (known != counts.end()) {
        known->second += traces;
      } else {
        counts.emplace_back(kind, traces);
      }
    }
  }

  // The first part that shows something decides, and what the jobs have searched of later ones does
  // not count: that depends on their speed.
  bool explored(std::vector<Part>& parts) {
    parts_.search(parts, tally_.deepest);
    bool done = true;
    for (Part& part : parts) {
      if (part.end) add(part);
      switch (part.end.value_or(Exploration::End::kStopped)) {
        case Exploration::End::kExhausted: break;
        case Exploration::End::kStopped: done = false; break;
        case Exploration::End::kDependent:
          result_.independence_violated = std::move(part.dependence);
          return false;
        case Exploration::End::kViolation: result_.found = std::move(part.found); return false;
      }
    }
    result_.stopped_by_count = !done && parts_.bounded();
    return done;
  }

  void add(Part& part) {
    part.found.execution += tally_.executions;
    count_kinds(part.faults.faults, part.tally.traces);
    tally_.add(std::move(part.tally));
  }

  const ExhaustiveOptions& options_;
  PartSearch parts_;
  Tally tally_;
  ExhaustiveResult result_;
};

ExhaustiveResult search(const ExhaustiveOptions& options, std::deque<Stage>& stages,
                        Workers& workers) {
  internal::check(refused_faults(options.limits.faults).empty(),
                  "an exhaustive search with a fault that it refuses");
  return Search(options, stages, workers).run();
}

}  // namespace

std::string after_the_cut(const ExhaustiveResult& result) {
  return "after " + std::to_string(result.deepest) +
         " steps only the default order was tried, because a process may go on for as long as "
         "another"
         " gets no turn";
}

std::span<const ReductionName> reductions() { return kReductions; }

std::string refused_faults(const fakezk::FaultPlan& faults) {
  constexpr auto kForgets = fakezk::FaultKind::kForgottenWrites;
  if ((faults.kinds() & bit(kForgets)) == 0) return {};
  return "an exhaustive search has no '" + std::string(name(kForgets)) +
         "': it leaves out orders of writes, and their order decides which are forgotten";
}

ExhaustiveResult search_exhaustively(Program& program, const ExhaustiveOptions& options) {
  std::deque<Stage> stages;
  stages.emplace_back(program);
  OneByOne one;
  return search(options, stages, one);
}

ExhaustiveResult search_exhaustively(const ExhaustiveOptions& options, const ExhaustiveJobs& jobs,
                                     Workers& workers) {
  const bool bounded = options.executions < ExhaustiveOptions().executions;
  const std::uint32_t count = bounded ? 1 : jobs.count;
  std::vector<std::unique_ptr<Program>> programs;
  std::deque<Stage> stages;
  for (std::uint32_t job = 0; job < count; ++job) {
    programs.push_back(jobs.make_program());
    stages.emplace_back(*programs.back());
  }
  return search(options, stages, workers);
}

}  // namespace lockstep::search
