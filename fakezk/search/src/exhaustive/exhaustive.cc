#include "lockstep/search/exhaustive.h"

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include "exhaustive/exploration.h"
#include "lockstep/internal/check.h"

namespace lockstep::search {

namespace {

constexpr std::array kReductions = {ReductionName{"none", Reduction::kNone},
                                    ReductionName{"sleep", Reduction::kSleep},
                                    ReductionName{"source", Reduction::kSource}};

// The faults of one exploration, sorted; a fault may be there twice.
using Faults = std::vector<StepKey>;

// Searches budget by budget; with source sets, one exploration for each combination of faults.
class Search {
 public:
  Search(Program& program, const ExhaustiveOptions& options)
      : program_(program), options_(options), world_(program.servers()) {}

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
    tally_.known.clear();
    tally_.final_states.clear();
    ExecutionLimits limits = options_.limits;
    limits.faults.set_total(budget);
    Exploration exploration(world_, program_, options_, limits, FaultsToHappen(), tally_);
    return explored(exploration);
  }

  // One exploration for each combination of faults; the other faults that were possible make the
  // next, larger combinations.
  bool try_each(std::set<Faults>& combinations, bool more_follow) {
    std::set<Faults> larger;
    for (const Faults& faults : combinations) {
      ExecutionLimits limits = options_.limits;
      // One more than will happen, to see which others are possible.
      limits.faults.set_total(static_cast<std::uint32_t>(faults.size()) + 1);
      const std::uint64_t before = tally_.traces;
      Exploration exploration(world_, program_, options_, limits, {faults, more_follow}, tally_);
      const bool done = explored(exploration);
      count_kinds(faults, tally_.traces - before);
      if (!done) return false;
      for (const StepKey fault : exploration.faults_seen()) {
        Faults more = faults;
        more.insert(std::ranges::upper_bound(more, fault), fault);
        larger.insert(std::move(more));
      }
    }
    combinations = std::move(larger);
    return true;
  }

  void count_kinds(const Faults& faults, std::uint64_t traces) {
    std::set<fakezk::FaultKind> kinds;
    for (const StepKey fault : faults) kinds.insert(fault_of(fault));
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

  bool explored(Exploration& exploration) {
    const auto bounded = [&] { return tally_.executions >= options_.executions; };
    result_.stopped_by_count = bounded();
    if (bounded()) return false;
    switch (exploration.run()) {
      case Exploration::End::kExhausted: return true;
      case Exploration::End::kStopped: result_.stopped_by_count = bounded(); return false;
      case Exploration::End::kDependent:
        result_.independence_violated = exploration.dependence();
        return false;
      case Exploration::End::kViolation: break;
    }
    result_.found = exploration.found();
    return false;
  }

  Program& program_;
  const ExhaustiveOptions& options_;
  fakezk::World world_;
  Tally tally_;
  ExhaustiveResult result_;
};

}  // namespace

std::string not_judged() {
  std::string both(kNotJudged[0]);
  return both.append(" and ").append(kNotJudged[1]);
}

std::string behind_the_cut(const ExhaustiveResult& result) {
  return "of what comes behind " + std::to_string(result.deepest) +
         " steps only the calm order was tried, because something may go on for as long as somebody"
         " else gets no turn";
}

std::span<const ReductionName> reductions() { return kReductions; }

std::string refused_faults(const fakezk::FaultPlan& faults) {
  constexpr auto kForgets = fakezk::FaultKind::kForgottenWrites;
  if ((faults.kinds() & bit(kForgets)) == 0) return {};
  return "an exhaustive search has no '" + std::string(name(kForgets)) +
         "': it leaves out orders of writes, and their order decides which are forgotten";
}

ExhaustiveResult search_exhaustively(Program& program, const ExhaustiveOptions& options) {
  internal::check(refused_faults(options.limits.faults).empty(),
                  "an exhaustive search with a fault that it refuses");
  return Search(program, options).run();
}

}  // namespace lockstep::search
