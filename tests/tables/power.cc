// power_table [SEEDS [EXECUTIONS [NAME...]]]: prints how soon each strategy finds each broken lock,
// as a Markdown table. A cell is the median number of executions until the lock breaks the
// guarantee it was made to break, with the settings of `lockstep hunt`. A cell that ends in 3/31,
// for example, was found with only so many of the seeds; below half there is no median. The last
// column is the minimal schedule: its number of deviations, and its kinds of faults.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/search/hunt.h"
#include "lockstep/search/schedule.h"
#include "lockstep/search/strategy.h"
#include "scenarios/registry.h"

namespace lockstep {
namespace {

using scenarios::Scenario;

struct Settings {
  std::uint64_t seeds = 31;
  std::uint64_t executions = 20'000;
};

// The number of executions until the expected oracle fails; one more than the limit if it never
// does. Another oracle that fails first does not count, and does not end the search.
std::uint64_t executions_to_find(const Scenario& scenario, const search::StrategyName& strategy,
                                 std::uint64_t seed, std::uint64_t most) {
  search::ExecutionLimits limits{.faults = fakezk::FaultPlan::all(scenario.fault_budget)};
  search::Searcher searcher(scenario.make(scenario.size), strategy.make(), limits, seed);
  for (std::uint64_t execution = 0; execution < most; ++execution) {
    const search::Outcome outcome = searcher.run(execution);
    if (outcome.violation && outcome.violation->oracle == scenario.expects) return execution + 1;
  }
  return most + 1;
}

// Deep flaws get as many executions as a hunt for them.
std::uint64_t most_executions(const Scenario& scenario, const Settings& settings) {
  return std::max(settings.executions, scenario.executions);
}

struct Measured {
  std::uint64_t median;
  std::uint64_t worst;
  std::size_t found;
};

Measured measure(const Scenario& scenario, const search::StrategyName& strategy,
                 const Settings& settings) {
  const std::uint64_t most = most_executions(scenario, settings);
  std::vector<std::uint64_t> all;
  for (std::uint64_t seed = 1; seed <= settings.seeds; ++seed) {
    all.push_back(executions_to_find(scenario, strategy, seed, most));
  }
  std::ranges::sort(all);
  const auto found = std::ranges::upper_bound(all, most) - all.begin();
  return {all[all.size() / 2], all.back(), static_cast<std::size_t>(found)};
}

std::string in_words(const Measured& measured, std::uint64_t most, const Settings& settings) {
  std::string text = "-";
  if (measured.median <= most) text = std::to_string(measured.median);
  if (measured.found == settings.seeds) return text;
  return text + " " + std::to_string(measured.found) + "/" + std::to_string(settings.seeds);
}

// Describes the lock's minimal schedule, from its file.
std::string minimal_schedule(const Scenario& scenario) {
  const std::filesystem::path folder(LOCKSTEP_SCHEDULES);
  std::ifstream file(folder / (std::string(scenario.name) + ".txt"));
  std::string text;
  std::getline(file, text);
  search::ReplayString schedule;
  if (!search::ReplayString::parse(text, schedule).empty()) return "-";
  std::string words = std::to_string(schedule.deviations.size());
  std::string_view separator = ": ";
  for (std::size_t i = 0; i < fakezk::kFaultKinds; ++i) {
    const auto kind = static_cast<fakezk::FaultKind>(i);
    if (schedule.faults.most(kind) == 0) continue;
    words.append(separator).append(name(kind));
    separator = ", ";
  }
  return words;
}

void print_head() {
  std::cout << "| lock | known from | oracle |";
  for (const search::StrategyName& strategy : search::strategies()) {
    std::cout << ' ' << strategy.name << " |";
  }
  std::cout << " portfolio's worst | schedule |\n|---|---|---|";
  for (std::size_t i = 0; i < search::strategies().size(); ++i) std::cout << "---|";
  std::cout << "---|---|\n";
}

void print_row(const Scenario& scenario, const Settings& settings) {
  std::cout << "| " << scenario.name << " | " << scenario.reference << " | " << scenario.expects
            << " |";
  const std::uint64_t most = most_executions(scenario, settings);
  std::uint64_t worst = 0;
  for (const search::StrategyName& strategy : search::strategies()) {
    const Measured measured = measure(scenario, strategy, settings);
    if (strategy.name == "portfolio") worst = measured.worst;
    std::cout << ' ' << in_words(measured, most, settings) << " |";
  }
  const bool never = worst > most;
  std::cout << ' ' << (never ? "-" : std::to_string(worst)) << " | " << minimal_schedule(scenario)
            << " |" << std::endl;
}

bool parse(std::string_view text, std::uint64_t& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc() && end == text.data() + text.size() && into > 0;
}

int run(std::span<const std::string_view> arguments) {
  Settings settings;
  const bool numbers = (arguments.empty() || parse(arguments[0], settings.seeds)) &&
                       (arguments.size() < 2 || parse(arguments[1], settings.executions));
  const auto names = arguments.subspan(std::min<std::size_t>(arguments.size(), 2));
  const bool known =
      std::ranges::all_of(names, [](std::string_view name) { return scenarios::find(name); });
  if (!numbers || !known) {
    std::cerr << "usage: power_table [SEEDS [EXECUTIONS [NAME...]]]\n";
    return 2;
  }
  print_head();
  for (const Scenario& scenario : scenarios::all()) {
    const bool wanted = names.empty() || std::ranges::find(names, scenario.name) != names.end();
    if (wanted && scenario.kind != "recipe") print_row(scenario, settings);
  }
  return 0;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  return lockstep::run(arguments);
}
