#include "exhaust.h"

#include <iostream>

#include "text.h"

namespace lockstep::program {

namespace {

nlohmann::ordered_json traces_by_fault(const search::ExhaustiveResult& result) {
  auto counts = nlohmann::ordered_json::object();
  for (const auto& [kind, traces] : result.traces_by_fault) {
    counts[std::string(name(kind))] = traces;
  }
  return counts;
}

std::string what_was_cut_short(const search::ExhaustiveResult& result) {
  if (result.cut == 0) return "";
  return "; " + counted(result.cut, "execution") + " cut short: " + behind_the_cut(result);
}

std::string where_it_stopped(const Search& what, const lab::HuntReport& report) {
  const search::ExhaustiveResult& result = *report.exhaustive;
  const std::uint32_t finished = result.budgets_finished;
  std::string text = "; stopped by " + std::string(lab::name(report.stopped_by)) +
                     " within fault budget " + std::to_string(result.fault_budget_reached) +
                     " of " + std::to_string(what.settings.faults.total());
  if (finished == 0) return text + ", no fault budget is exhausted";
  if (finished == 1) return text + ", fault budget 0 is exhausted";
  return text + ", fault budgets 0 to " + std::to_string(finished - 1) + " are exhausted";
}

}  // namespace

nlohmann::ordered_json exhaustive_as_json(const Search& what, const lab::HuntReport& report) {
  const search::ExhaustiveResult& result = *report.exhaustive;
  const lab::HuntSettings& settings = what.settings;
  nlohmann::ordered_json object = {{"scenario", what.scenario->name},
                                   {"strategy", settings.strategy},
                                   {"reduction", lab::reduction_of(settings).name},
                                   {"seed", settings.seed},
                                   {"clients", settings.size.clients},
                                   {"rounds", settings.size.rounds},
                                   {"faults", fault_kinds(settings.faults)},
                                   {"fault_budget", settings.faults.total()},
                                   {"fault_budget_exhausted", nullptr},
                                   {"fault_budget_reached", result.fault_budget_reached},
                                   {"executions", result.executions},
                                   {"steps", result.steps},
                                   {"seconds", report.seconds},
                                   {"executions_per_second", executions_per_second(report)},
                                   {"exhausted", result.exhausted},
                                   {"traces", result.traces},
                                   {"traces_by_fault", traces_by_fault(result)},
                                   {"final_states", result.final_states},
                                   {"pairs_checked", result.pairs_checked},
                                   {"cut_short", result.cut},
                                   {"cut_short_after", nullptr},
                                   {"independence_violated", nullptr},
                                   {"trace_hash", hex(result.trace_hash)},
                                   {"stopped_by", lab::name(report.stopped_by)},
                                   {"not_judged", search::kNotJudged},
                                   {"violation", nullptr}};
  if (result.budgets_finished > 0) object["fault_budget_exhausted"] = result.fault_budget;
  if (result.cut > 0) object["cut_short_after"] = result.deepest;
  if (!result.independence_violated.empty()) {
    object["independence_violated"] = result.independence_violated;
  }
  return object;
}

std::string verdict(const Search& what, const lab::HuntReport& report) {
  const search::ExhaustiveResult& result = *report.exhaustive;
  const std::string traces = counted(result.traces, "trace");
  const std::string how_far = result.exhausted ? "exhausted: " + traces + " at fault budget " +
                                                     std::to_string(what.settings.faults.total())
                                               : "NOT exhausted: " + traces;
  return how_far + ", no violation (" + in_words(what.settings.size) + "; " +
         describe_faults(what.settings.faults) + "; " + search::not_judged() +
         " are not judged in this mode)" +
         (result.exhausted ? "" : where_it_stopped(what, report) + what_was_cut_short(result));
}

void print_how_far(const Search& what, const lab::HuntReport& report) {
  const search::ExhaustiveResult& result = *report.exhaustive;
  if (!result.independence_violated.empty()) {
    std::cout << what.scenario->name << ": independence violated: " << result.independence_violated
              << ". The search has proved nothing; please report this.\n";
    return;
  }
  std::cout << what.scenario->name << ": " << verdict(what, report) << ". "
            << counted(result.final_states, "final state") << ", "
            << counted(result.executions, "execution") << ", "
            << counted(result.pairs_checked, "pair") << " of steps tried in both orders.\n";
  for (const auto& [kind, traces] : result.traces_by_fault) {
    std::cout << "  " << name(kind) << ": " << counted(traces, "trace") << '\n';
  }
}

}  // namespace lockstep::program
