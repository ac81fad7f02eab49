#include "exhaust.h"

#include <iostream>

#include "lockstep/search/version.h"
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

// A search with a fixed number of executions has one job.
std::uint32_t jobs_of(const lab::HuntSettings& settings) {
  const bool is_bounded = settings.most_executions() < lab::HuntSettings::kUnbounded;
  return is_bounded ? 1 : settings.jobs;
}

}  // namespace

nlohmann::ordered_json exhaustive_as_json(const HuntCommand& what, const lab::HuntReport& report) {
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
                                   {"not_judged", search::list_not_judged()},
                                   {"judged", as_json(report.judged)},
                                   {"violation", nullptr}};
  if (result.budgets_finished > 0) object["fault_budget_exhausted"] = result.fault_budget;
  if (result.cut > 0) object["cut_short_after"] = result.deepest;
  if (!result.independence_violated.empty()) {
    object["independence_violated"] = result.independence_violated;
  }
  return object;
}

void print_how_far(const HuntCommand& what, const lab::HuntReport& report) {
  const search::ExhaustiveResult& result = *report.exhaustive;
  std::cout << what.scenario->name << ": " << report.verdict() << ".";
  if (!result.independence_violated.empty()) {
    std::cout << '\n';
    return;
  }
  std::cout << ' ' << counted(result.final_states, "final state") << ", "
            << counted(result.executions, "execution") << ", "
            << counted(result.pairs_checked, "pair") << " of steps tried in both orders, with "
            << counted(jobs_of(what.settings), "job") << ", by lockstep " << search::version()
            << ".\n";
  for (const auto& [kind, traces] : result.traces_by_fault) {
    std::cout << "  " << name(kind) << ": " << counted(traces, "trace") << '\n';
  }
  std::cout << report.judged.text() << '\n';
}

}  // namespace lockstep::program
