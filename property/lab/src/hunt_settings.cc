#include "hunt_settings.h"

#include <stdexcept>
#include <string>

#include "lockstep/search/exhaustive_jobs.h"

namespace lockstep::lab {

namespace {

void require(bool holds, const std::string& otherwise) {
  if (!holds) throw std::invalid_argument(otherwise);
}

template <class Names>
std::string joined(const Names& known) {
  std::string names;
  for (const auto& entry : known) names += (names.empty() ? "" : ", ") + std::string(entry.name);
  return names;
}

// The entry with that name; the error also lists `others`.
template <class Names>
const auto& called(std::string_view name, std::string_view what, const Names& known,
                   std::string_view others = {}) {
  for (const auto& entry : known) {
    if (entry.name == name) return entry;
  }
  throw std::invalid_argument("there is no " + std::string(what) + " '" + std::string(name) +
                              "', only " + joined(known) + std::string(others));
}

void check_way(const HuntSettings& settings) {
  require(settings.jobs >= 1 && settings.jobs <= HuntSettings::kMostJobs,
          std::to_string(settings.jobs) + " jobs cannot hunt: 1 to " +
              std::to_string(HuntSettings::kMostJobs) + " can");
  require(settings.faults.total() <= HuntSettings::kMostFaults,
          std::to_string(settings.faults.total()) + " faults are too many: at most " +
              std::to_string(HuntSettings::kMostFaults) + " strike in an execution");
  if (settings.is_exhaustive()) {
    static_cast<void>(reduction_of(settings));
    require(!settings.measure_coverage, "an exhaustive search measures no coverage");
    require(settings.first == 0, "an exhaustive search has no parts");
    const std::string refused = search::refused_faults(settings.faults);
    require(refused.empty(), refused);
    return;
  }
  static_cast<void>(strategy_called(settings.strategy));
  require(settings.reduction.empty(), "only an exhaustive search has a reduction");
}

}  // namespace

void check(const LockUnderTest& lock, const HuntSettings& settings) {
  constexpr std::uint32_t kMostInAll = HuntSettings::kMostRoundsInAll;
  const auto [clients, rounds] = settings.size;
  require(clients >= lock.least.clients && clients >= 1 && clients <= HuntSettings::kMostClients,
          std::to_string(clients) + " clients cannot hunt '" + lock.name + "'");
  require(rounds >= lock.least.rounds && rounds >= 1 && rounds <= HuntSettings::kMostRounds,
          std::to_string(rounds) + " rounds cannot hunt '" + lock.name + "'");
  require(clients * rounds <= kMostInAll,
          "more than " + std::to_string(kMostInAll) + " rounds in all take too many steps");
  require(settings.most_executions() > 0, "a hunt needs at least one execution");
  require(settings.seconds > 0, "the time of a hunt has to be positive");  // also refuses NaN
  require(!lock.in_forks || !settings.is_exhaustive(),
          "only a strategy hunts '" + lock.name + "', whose executions run in child processes");
  require(!lock.in_forks || lock.executions_per_fork > 0,
          "each child process of '" + lock.name + "' needs at least one execution");
  require(!lock.in_forks || !settings.measure_coverage,
          "executions in child processes measure no coverage");
  check_way(settings);
}

const search::StrategyName& strategy_called(std::string_view name) {
  return called(name, "strategy", search::strategies(),
                ", " + std::string(HuntSettings::kExhaustive));
}

const search::ReductionName& reduction_called(std::string_view name) {
  return called(name, "reduction", search::reductions());
}

const search::ReductionName& reduction_of(const HuntSettings& settings) {
  return settings.reduction.empty() ? search::reductions().back()
                                    : reduction_called(settings.reduction);
}

fakezk::FaultPlan faults_called(std::string_view kinds, std::uint32_t total) {
  fakezk::FaultPlan plan;
  const std::string wrong = search::parse_fault_kinds(kinds, plan);
  require(wrong.empty(), wrong);
  plan.set_total(total);
  return plan.any() ? plan : fakezk::FaultPlan();
}

std::string strategy_names() { return joined(search::strategies()); }
std::string reduction_names() { return joined(search::reductions()); }

std::uint64_t HuntSettings::most_executions() const {
  if (executions) return *executions;
  return is_exhaustive() ? kUnbounded : kUsualExecutions;
}

}  // namespace lockstep::lab
