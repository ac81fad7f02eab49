#include "exhaust.h"

#include <chrono>
#include <iostream>
#include <memory>

#include "interruption.h"
#include "progress.h"
#include "scenarios/last_words.h"
#include "text.h"

namespace lockstep::program {

namespace {

constexpr search::StrategyName kName{kExhaustive, nullptr};

nlohmann::ordered_json traces_by_fault(const search::ExhaustiveResult& result) {
  auto counts = nlohmann::ordered_json::object();
  for (const auto& [kind, traces] : result.traces_by_fault) {
    counts[std::string(name(kind))] = traces;
  }
  return counts;
}

}  // namespace

const search::StrategyName& exhaustive_strategy() { return kName; }

std::string_view Exhausted::stopped_by() const {
  if (result.exhausted) return "exhaustion";
  if (result.found) return "violation";
  if (!result.independence_violated.empty()) return "dependence";
  if (interrupted) return "interrupt";
  if (out_of_depth) return "depth";
  return out_of_time ? "time" : "count";
}

Searched Exhausted::as_searched() const {
  Searched searched;
  searched.seconds = seconds;
  searched.interrupted = interrupted;
  searched.result.executions = result.executions;
  searched.result.steps = result.steps;
  searched.result.trace_hash = result.trace_hash;
  searched.result.found = result.found;
  return searched;
}

nlohmann::ordered_json Exhausted::as_json(const Search& what) const {
  nlohmann::ordered_json object = {
      {"scenario", what.scenario->name},
      {"strategy", kExhaustive},
      {"reduction", what.reduction->name},
      {"seed", what.seed},
      {"clients", what.size.clients},
      {"rounds", what.size.rounds},
      {"faults", fault_kinds(what.faults)},
      {"fault_budget", what.faults.total()},
      {"fault_budget_exhausted", nullptr},
      {"fault_budget_reached", result.fault_budget_reached},
      {"executions", result.executions},
      {"steps", result.steps},
      {"seconds", seconds},
      {"executions_per_second", static_cast<double>(result.executions) / seconds},
      {"exhausted", result.exhausted},
      {"traces", result.traces},
      {"traces_by_fault", traces_by_fault(result)},
      {"final_states", result.final_states},
      {"pairs_checked", result.pairs_checked},
      {"cut_short", result.cut},
      {"cut_short_after", nullptr},
      {"independence_violated", nullptr},
      {"trace_hash", hex(result.trace_hash)},
      {"stopped_by", stopped_by()},
      {"not_judged", {"L3", "livelock by repetition"}},
      {"violation", nullptr}};
  if (result.budgets_finished > 0) object["fault_budget_exhausted"] = result.fault_budget;
  if (result.cut > 0) object["cut_short_after"] = result.deepest;
  if (!result.independence_violated.empty()) {
    object["independence_violated"] = result.independence_violated;
  }
  return object;
}

std::string Exhausted::what_was_cut_short() const {
  if (result.cut == 0) return "";
  return "; " + counted(result.cut, "execution") + " cut short: " + behind_the_cut(result);
}

std::string Exhausted::where_it_stopped(const Search& what) const {
  const std::uint32_t finished = result.budgets_finished;
  std::string text = "; stopped by " + std::string(stopped_by()) + " within fault budget " +
                     std::to_string(result.fault_budget_reached) + " of " +
                     std::to_string(what.faults.total());
  if (finished == 0) return text + ", no fault budget is exhausted";
  if (finished == 1) return text + ", fault budget 0 is exhausted";
  return text + ", fault budgets 0 to " + std::to_string(finished - 1) + " are exhausted";
}

std::string Exhausted::verdict(const Search& what) const {
  const std::string traces = counted(result.traces, "trace");
  const std::string how_far = result.exhausted ? "exhausted: " + traces + " at fault budget " +
                                                     std::to_string(what.faults.total())
                                               : "NOT exhausted: " + traces;
  return how_far + ", no violation (" + in_words(what.size) + "; " + describe_faults(what.faults) +
         "; L3 and livelock by repetition are not judged in this mode)" +
         (result.exhausted ? "" : where_it_stopped(what) + what_was_cut_short());
}

void Exhausted::print_how_far(const Search& what) const {
  if (!result.independence_violated.empty()) {
    std::cout << what.scenario->name << ": independence violated: " << result.independence_violated
              << ". The search has proved nothing; please report this.\n";
    return;
  }
  std::cout << what.scenario->name << ": " << verdict(what) << ". "
            << counted(result.final_states, "final state") << ", "
            << counted(result.executions, "execution") << ", "
            << counted(result.pairs_checked, "pair") << " of steps tried in both orders.\n";
  for (const auto& [kind, traces] : result.traces_by_fault) {
    std::cout << "  " << name(kind) << ": " << counted(traces, "trace") << '\n';
  }
}

Exhausted exhaust(const Search& what, bool show_progress) {
  const auto start = std::chrono::steady_clock::now();
  const auto gone = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  Progress progress(show_progress, what.executions, what.seconds);
  Exhausted searched;
  search::ExhaustiveOptions options;
  options.limits = limits_of(what.faults);
  options.reduction = what.reduction->reduction;
  options.executions = what.executions;
  options.keep_going = [&](std::uint64_t done) {
    progress.update(done);
    searched.interrupted = interrupted_by() != 0;
    searched.out_of_time = gone() >= what.seconds;
    return !searched.interrupted && !searched.out_of_time;
  };
  const std::unique_ptr<search::Program> program =
      scenarios::make_program(*what.scenario, what.size, what.faults);
  searched.result = search::search_exhaustively(*program, options);
  const bool stopped =
      searched.interrupted || searched.out_of_time || searched.result.executions >= what.executions;
  searched.out_of_depth = searched.result.cut > 0 && !stopped;
  searched.seconds = gone();
  return searched;
}

}  // namespace lockstep::program
