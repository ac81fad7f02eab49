#include "lockstep/search/exhaustive.h"

#include <algorithm>
#include <array>
#include <deque>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <utility>

#include "exhaustive/finished.h"
#include "exhaustive/parts.h"
#include "lockstep/internal/check.h"
#include "lockstep/search/exhaustive_jobs.h"

namespace lockstep::search {

namespace {

constexpr std::array kReductions = {ReductionName{"none", Reduction::kNone},
                                    ReductionName{"sleep", Reduction::kSleep},
                                    ReductionName{"source", Reduction::kSource}};

// Searches budget by budget; with source sets, one exploration for each combination of faults.
class BudgetedSearch {
 public:
  BudgetedSearch(const ExhaustiveOptions& options, std::deque<Stage>& stages, Workers& workers)
      : options_(options), parts_(options, stages, workers) {}

  ExhaustiveResult run() {
    const std::uint32_t most = options_.limits.faults.any() ? options_.limits.faults.total() : 0;
    std::set<Faults> combinations = {Faults()};
    load();
    for (std::uint32_t budget = 0; budget <= most; ++budget) {
      result_.fault_budget_reached = budget;
      const bool done = by_source() ? try_each(combinations, budget < most) : try_any(budget);
      if (!done) return finished(false);
      if (budget == 0) resume();
      if (tally_.cut > 0) continue;  // Larger budgets may still show a violation.
      result_.fault_budget = budget;
      ++result_.budgets_finished;
    }
    return finished(tally_.cut == 0);
  }

 private:
  [[nodiscard]] bool by_source() const { return options_.reduction == Reduction::kSource; }

  ExhaustiveResult finished(bool exhausted) {
    result_.exhausted = exhausted;
    result_.traces = tally_.traces;
    result_.executions = tally_.executions;
    result_.steps = tally_.steps;
    result_.trace_hash = tally_.trace_hash;
    result_.trace_set_hash = tally_.trace_set_hash;
    result_.pairs_checked = tally_.pairs_checked;
    result_.cut = tally_.cut;
    result_.judged = tally_.judged;
    result_.deepest = tally_.deepest;
    result_.final_states = tally_.final_states.sorted().size();
    for (const std::uint64_t state : tally_.final_states.sorted()) {
      result_.state_hash += fakezk::mix(state);
    }
    return std::move(result_);
  }

  // Explores any faults up to the budget at once, which covers the smaller budgets, too.
  bool try_any(std::uint32_t budget) {
    finished_.clear();
    tally_.traces = 0;
    tally_.trace_hash = 0;
    tally_.trace_set_hash = 0;
    tally_.final_states.clear();
    tally_.judged = {};
    std::vector<Part> parts = {{options_.limits, FaultsToHappen()}};
    parts.front().limits.faults.set_total(budget);
    return explore(parts);
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
    if (!explore(parts)) return false;
    combinations.clear();
    for (const Part& part : parts) {
      for (const Fault& fault : finished_[part.faults.faults].others) {
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

  // The first part with a finding decides. Results of later parts do not count, because they depend
  // on the speed of the jobs.
  bool explore(std::vector<Part>& parts) {
    if (parts.empty()) return true;  // No fault of this budget can strike.
    search(parts);
    if (options_.checkpoint && !saved_) save();
    bool done = true;
    for (; next_ < parts.size(); ++next_) {
      Part& part = parts[next_];
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

  // Adds each part to the tally once all parts before it have finished, while others are searched.
  void search(std::vector<Part>& parts) {
    Forecast forecast(finished_, static_cast<std::uint32_t>(parts.front().faults.faults.size()));
    for (Part& part : parts) {
      const Faults& faults = part.faults.faults;
      forecast.expect(faults);
      const auto known = finished_.find(faults);
      if (known == finished_.end()) continue;
      part.end = Exploration::End::kExhausted;
      forecast.has_finished(faults, known->second.sums.traces);
    }
    next_ = 0;
    add_finished(parts);
    parts_.search(parts, tally_.deepest, [&](Part& part) {
      if (part.end != Exploration::End::kExhausted) return;
      forecast.has_finished(part.faults.faults, part.tally.traces);
      keep(part);
      add_finished(parts);
      if (options_.progress && by_source()) options_.progress(forecast.estimate());
      if (options_.checkpoint && !saved_ && options_.checkpoint->is_due()) save();
    });
  }

  void keep(Part& part) {
    tally_.deepest = part.tally.deepest;
    Finished& finished = finished_[part.faults.faults];
    finished.sums = static_cast<const Sums&>(part.tally);
    finished.others = std::move(part.others);
    finished.final_states = std::exchange(part.tally.final_states, {});
  }

  void add_finished(std::vector<Part>& parts) {
    while (next_ < parts.size() && parts[next_].end == Exploration::End::kExhausted) {
      add(parts[next_++]);
    }
  }

  void add(Part& part) {
    const Faults& faults = part.faults.faults;
    if (part.end == Exploration::End::kExhausted) {
      Finished& finished = finished_[faults];
      add(faults, finished.sums, finished.final_states);
      finished.final_states.clear();
    } else {
      part.found.execution += tally_.executions;
      tally_.deepest = part.tally.deepest;
      add(faults, part.tally, part.tally.final_states);
    }
  }

  void add(const Faults& faults, const Sums& sums, StateSet& final_states) {
    count_kinds(faults, sums.traces);
    tally_.add(sums);
    tally_.final_states.insert(final_states.sorted());
  }

  void load() {
    if (!options_.checkpoint) return;
    const std::unique_ptr<std::istream> in = options_.checkpoint->saved();
    if (in) saved_ = read_saved(*in);
  }

  // The search without faults has been repeated. It must have the same result as before.
  void resume() {
    if (!saved_) return;
    const auto then = saved_->finished.find({});
    const Finished& now = finished_[{}];
    if (then != saved_->finished.end() &&
        (then->second.sums != now.sums || then->second.others != now.others)) {
      throw UnusableCheckpoint("belongs to a program that does something else");
    }
    finished_.merge(saved_->finished);
    tally_.final_states.insert(saved_->final_states.sorted());
    saved_.reset();
  }

  void save() {
    options_.checkpoint->save(
        [this](std::ostream& out) { write(out, finished_, tally_.final_states); });
  }

  const ExhaustiveOptions& options_;
  PartSearch parts_;
  Tally tally_;
  std::size_t next_ = 0;  // The first part that is not yet in the tally.
  FinishedByFaults finished_;
  std::optional<SavedSearch> saved_;  // Until it has been compared with this program.
  ExhaustiveResult result_;
};

ExhaustiveResult search(const ExhaustiveOptions& options, std::deque<Stage>& stages,
                        Workers& workers) {
  internal::check(refused_faults(options.limits.faults).empty(),
                  "an exhaustive search with a fault that it refuses");
  const bool has_parts = options.reduction == Reduction::kSource &&
                         options.executions == ExhaustiveOptions().executions;
  internal::check(has_parts || !options.checkpoint, "a checkpoint of a search without parts");
  return BudgetedSearch(options, stages, workers).run();
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
