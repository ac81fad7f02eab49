#include "search_options.h"

#include <algorithm>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "command_tree.h"
#include "nearest.h"
#include "text.h"
#include "usage.h"

namespace lockstep::program {

namespace {

using lab::HuntSettings;

constexpr double kLongestSeconds = 10'000'000;

// Sets the strategy, and the reduction of an exhaustive search.
void set_way(const SearchOptions& options, HuntSettings& settings) {
  settings.strategy = options.strategy;
  settings.reduction = options.reduction;
  if (!settings.is_exhaustive()) {
    read_option("--strategy", [&] { return lab::strategy_called(settings.strategy); });
    if (!settings.reduction.empty()) {
      throw UsageError("--reduction: only with --strategy exhaustive");
    }
    if (options.resume) throw UsageError("--resume: only with --strategy exhaustive");
    return;
  }
  read_option("--reduction", [&] { return lab::reduction_of(settings); });
  if (options.first > 0) throw UsageError("--first: an exhaustive search has no parts");
  if (options.coverage) throw UsageError("--coverage: an exhaustive search reaches everything");
  if (!options.resume) return;
  if (lab::reduction_of(settings).reduction != search::Reduction::kSource) {
    throw UsageError("--resume: only with --reduction source, which divides the search");
  }
  if (options.executions > 0) throw UsageError("--resume: not with --executions");
}

// Suggestions for a kind of fault that does not exist; empty if all exist.
std::string meant_by(const std::string& faults) {
  const std::vector<std::string> choices = fault_choices();
  const std::vector<std::string_view> known(choices.begin(), choices.end());
  std::istringstream parts(faults);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::string kind = part.substr(0, part.find(':'));
    if (std::ranges::find(known, kind) == known.end()) return did_you_mean(kind, known);
  }
  return "";
}

fakezk::FaultPlan faults_of(const SearchOptions& options) {
  try {
    return lab::faults_called(options.faults, options.fault_budget);
  } catch (const std::invalid_argument& wrong) {
    throw UsageError("--faults: " + std::string(wrong.what()) + meant_by(options.faults) +
                     " ('lockstep hunt --help' shows all)");
  }
}

// People want a result soon; scripts run in parallel and expect one job.
std::uint32_t jobs_of(const SearchOptions& options, const HuntCommand& what) {
  if (!what.takes_jobs()) return 1;
  if (options.jobs > 0) return options.jobs;
  return options.json ? 1 : jobs_for_all_processors();
}

}  // namespace

void add_bounds(CLI::App& command, SearchOptions& options, const std::string& usual_clients) {
  options.seed = std::random_device()();
  add_number<std::uint32_t>(command, "--clients", options.clients, 1, HuntSettings::kMostClients,
                            "Number of contending clients, at most " +
                                std::to_string(HuntSettings::kMostClients) + " (" + usual_clients +
                                ')');
  add_number<std::uint64_t>(command, "--executions", options.executions, 1,
                            HuntSettings::kMostExecutions,
                            "Number of executions (20000; with --seconds as many as fit)");
  add_number<double>(command, "--seconds", options.seconds, 0.001, kLongestSeconds,
                     "How long to search (until the executions are done)");
  add_number<std::uint64_t>(command, "--seed", options.seed, 0, ~std::uint64_t{0},
                            "Seed of all random choices (drawn, and printed)");
  add_number<std::uint64_t>(command, "--first", options.first, 0, HuntSettings::kMostExecutions,
                            "Index of the first execution, for a part of a larger hunt (0)");
}

void add_strategy(CLI::App& command, SearchOptions& options, const std::string& others) {
  command
      .add_option("--strategy", options.strategy,
                  "How to search: " + lab::strategy_names() + others)
      ->capture_default_str();
}

void add_scenario_options(CLI::App& command, SearchOptions& options) {
  add_number<std::uint32_t>(command, "--rounds", options.rounds, 1, HuntSettings::kMostRounds,
                            "How often each takes the lock, at most " +
                                std::to_string(HuntSettings::kMostRounds) + " (the scenario's)");
  add_strategy(command, options,
               ", or " + std::string(HuntSettings::kExhaustive) +
                   ", which tries all schedules unless --executions says how many");
  command
      .add_option("--reduction", options.reduction,
                  "Which equivalent orders an exhaustive search skips: " + lab::reduction_names() +
                      " (" + std::string(lab::reduction_of({}).name) + ")")
      ->check(&refuse_empty);
  add_number<std::uint32_t>(
      command, "--jobs", options.jobs, 1, HuntSettings::kMostJobs,
      "Number of threads; the result does not depend on it (one per processor, "
      "at most " +
          std::to_string(kMostUsualJobs) + "; with --json 1)");
  command.add_flag(
      "--coverage", options.coverage,
      "Also report how many traces and states, and which events and faults were reached "
      "(ten times slower)");
  command
      .add_option("--resume", options.resume,
                  "Exhaustive: save what is finished in this file, every half minute and at the "
                  "end, and go on from it if it exists")
      ->type_name("FILE");
}

void add_fault_options(CLI::App& command, SearchOptions& options) {
  command
      .add_option(
          "--faults", options.faults,
          "Faults: all, none, or kinds with optional caps (cut,expiry:1): " + fault_kind_names() +
              ". Not in 'all', because no lock survives it: " + named_fault_kind_names() +
              " (all," + named_fault_kind_names() + ")")
      ->type_name("KINDS")
      ->capture_default_str();
  add_number<std::uint32_t>(command, "--fault-budget", options.fault_budget, 0,
                            HuntSettings::kMostFaults,
                            "Most faults in one execution, all kinds together (2)");
}

void add_output_options(CLI::App& command, SearchOptions& options) {
  command.add_option("--html", options.html, "Write the timeline to this file, as HTML")
      ->type_name("FILE");
  command.add_flag("--json", options.json, "Print one JSON object");
}

void read_settings(const SearchOptions& options, HuntCommand& what) {
  HuntSettings& settings = what.settings;
  settings.size = what.scenario->size;
  if (options.clients > 0) settings.size.clients = options.clients;
  if (options.rounds > 0) settings.size.rounds = options.rounds;
  if (!lab::possible(settings.size)) {
    throw UsageError("--rounds: " + in_words(settings.size) + " are more than " +
                     std::to_string(HuntSettings::kMostRoundsInAll) + " rounds in all");
  }
  set_way(options, settings);
  settings.faults = faults_of(options);
  const std::string refused = search::refused_faults(settings.faults);
  if (settings.is_exhaustive() && !refused.empty()) throw UsageError("--faults: " + refused);
  settings.seed = options.seed;
  settings.first = options.first;
  settings.jobs = jobs_of(options, what);
  settings.measure_coverage = options.coverage;
  if (options.seconds > 0) {
    settings.seconds = options.seconds;
    settings.executions = HuntSettings::kUnbounded;
  }
  if (options.executions > 0) settings.executions = options.executions;
}

}  // namespace lockstep::program
