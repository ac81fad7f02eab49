#include "hunt.h"

#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "caption.h"
#include "checkpoint_file.h"
#include "command.h"
#include "exhaust.h"
#include "html_file.h"
#include "interruption.h"
#include "text.h"
#include "usage.h"

namespace lockstep::program {

namespace {

using lab::HuntReport;
using lab::HuntSettings;

constexpr double kMostSeconds = 10'000'000;

// The options of the command line; 0 means not given, where there is no fixed default.
struct HuntArguments {
  std::string scenario;
  std::uint32_t clients = 0;
  std::uint32_t rounds = 0;
  std::string strategy = HuntSettings().strategy;
  std::string reduction;  // Only with "exhaustive".
  std::uint64_t executions = 0;
  double seconds = 0;
  std::uint64_t seed = 0;
  std::uint64_t first = 0;
  std::string faults = "all";
  std::uint32_t fault_budget = HuntSettings::kUsualFaults;
  std::uint32_t jobs = 1;
  bool blocking = false;
  std::string backend = "fake";
  bool coverage = false;
  std::optional<std::string> html;
  std::optional<std::string> resume;  // Only with "exhaustive".
  bool json = false;
};

const scenarios::Scenario* scenario_of(const HuntArguments& options) {
  const scenarios::Scenario* const scenario = scenarios::find(options.scenario);
  if (!scenario) {
    throw UsageError("there is no scenario '" + options.scenario + "'; 'list' shows them");
  }
  if (!options.blocking) return scenario;
  const scenarios::Scenario* const blocking = scenarios::find_blocking(options.scenario);
  if (blocking) return blocking;
  throw UsageError("--blocking: '" + options.scenario +
                   "' has no blocking code; 'list' shows which scenarios have");
}

// Sets the strategy, and the reduction of an exhaustive search.
void set_way(const HuntArguments& options, HuntSettings& settings) {
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

Backend backend_of(const HuntArguments& options, Backend zookeeper) {
  if (options.backend == "fake") return nullptr;
  if (options.strategy == HuntSettings::kExhaustive) {
    throw UsageError("--strategy exhaustive: only with --backend fake");
  }
  return zookeeper;
}

Search search_of(const HuntArguments& options, Backend zookeeper) {
  Search what;
  what.scenario = scenario_of(options);
  what.backend = backend_of(options, zookeeper);
  HuntSettings& settings = what.settings;
  settings.size = what.scenario->size;
  if (options.clients > 0) settings.size.clients = options.clients;
  if (options.rounds > 0) settings.size.rounds = options.rounds;
  if (!lab::possible(settings.size)) {
    throw UsageError("--rounds: " + in_words(settings.size) + " are more than " +
                     std::to_string(HuntSettings::kMostRoundsInAll) + " rounds in all");
  }
  set_way(options, settings);
  settings.faults = read_option(
      "--faults", [&] { return lab::faults_called(options.faults, options.fault_budget); });
  const std::string refused = search::refused_faults(settings.faults);
  if (settings.is_exhaustive() && !refused.empty()) throw UsageError("--faults: " + refused);
  settings.seed = options.seed;
  settings.first = options.first;
  settings.jobs = options.jobs;
  settings.measure_coverage = options.coverage;
  if (options.seconds > 0) {
    settings.seconds = options.seconds;
    settings.executions = HuntSettings::kUnbounded;
  }
  if (options.executions > 0) settings.executions = options.executions;
  return what;
}

// The kinds of faults that the search allows but that cannot strike in this scenario.
std::vector<fakezk::FaultKind> impossible_faults_of(const Search& what) {
  const std::unique_ptr<search::Program> program = what.lock().program(what.settings.size);
  const fakezk::FaultKinds impossible =
      search::impossible_faults(*program) & what.settings.faults.kinds();
  std::vector<fakezk::FaultKind> kinds;
  for (std::size_t i = 0; i < fakezk::kFaultKinds; ++i) {
    const auto kind = static_cast<fakezk::FaultKind>(i);
    if (impossible & bit(kind)) kinds.push_back(kind);
  }
  return kinds;
}

nlohmann::ordered_json impossible_faults_as_json(const Search& what) {
  auto names = nlohmann::ordered_json::array();
  for (const fakezk::FaultKind kind : impossible_faults_of(what)) names.push_back(name(kind));
  return names;
}

// "all" means all that can strike; a user who names a kind expects it to strike.
void warn_of_impossible_faults(const Search& what, const HuntArguments& options) {
  if (options.json || options.faults == "all") return;
  std::string kinds;
  for (const fakezk::FaultKind kind : impossible_faults_of(what)) {
    kinds += (kinds.empty() ? "" : ", ") + std::string(name(kind)) + " (" +
             std::string(why_impossible(facts(kind).needs)) + ')';
  }
  if (kinds.empty()) return;
  std::cerr << "lockstep: note: in " << what.scenario->name
            << " these faults cannot strike: " << kinds << '\n';
}

nlohmann::ordered_json violation_as_json(const HuntReport& report) {
  const search::Failure& failure = *report.failure;
  return {{"oracle", failure.violation.oracle},
          {"message", failure.violation.message},
          {"execution", report.failed_execution},
          {"steps", failure.steps},
          {"deviations", failure.deviations},
          {"original_deviations", failure.original_deviations},
          {"clients", failure.clients},
          {"rounds", failure.rounds},
          {"faults", fault_kinds(failure.faults)},
          {"replay", failure.replay},
          {"regression_test", regression_test_of(failure, report.name)}};
}

nlohmann::ordered_json as_json(const Search& what, const HuntReport& report) {
  const HuntSettings& settings = what.settings;
  return {{"scenario", what.scenario->name},
          {"backend", what.backend ? "zookeeper" : "fake"},
          {"strategy", settings.strategy},
          {"seed", settings.seed},
          {"clients", settings.size.clients},
          {"rounds", settings.size.rounds},
          {"faults", fault_kinds(settings.faults)},
          {"fault_budget", settings.faults.total()},
          {"first", settings.first},
          {"jobs", settings.jobs},
          {"executions", report.executions},
          {"steps", report.steps},
          {"seconds", report.seconds},
          {"executions_per_second", executions_per_second(report)},
          {"exhausted", false},
          {"traces", nullptr},
          {"final_states", nullptr},
          {"trace_hash", hex(report.trace_hash)},
          {"stopped_by", lab::name(report.stopped_by)},
          {"judged", program::as_json(report.judged)},
          {"violation", nullptr}};
}

nlohmann::ordered_json as_json(const search::Coverage& coverage) {
  nlohmann::ordered_json events;
  for (std::size_t i = 0; i < search::Coverage::kEventKinds; ++i) {
    const auto kind = static_cast<fakezk::Event::Kind>(i);
    events[std::string(search::name(kind))] = coverage.events(kind);
  }
  nlohmann::ordered_json faults;
  for (std::size_t i = 0; i < fakezk::kFaultKinds; ++i) {
    const auto kind = static_cast<fakezk::FaultKind>(i);
    faults[std::string(fakezk::name(kind))] = coverage.faults(kind);
  }
  return {{"traces", coverage.traces()},
          {"states", coverage.states()},
          {"events", std::move(events)},
          {"faults", std::move(faults)}};
}

void print_success(const Search& what, const HuntReport& report) {
  const HuntSettings& settings = what.settings;
  const auto rate = static_cast<std::uint64_t>(executions_per_second(report));
  std::cout << what.scenario->name << ": no violation in "
            << counted(report.executions, "execution") << " (" << in_words(settings.size)
            << "; strategy " << settings.strategy << "; seed " << settings.seed << "; "
            << describe_faults(settings.faults) << "). " << counted(report.steps, "step") << ", "
            << grouped(rate) << " executions per second with " << counted(settings.jobs, "job")
            << ", trace hash " << hex(report.trace_hash)
            << (report.stopped_by == lab::StoppedBy::kInterruption ? ". Interrupted.\n" : ".\n")
            << report.judged.text() << '\n';
}

void print_failure(const Search& what, const HuntReport& report, const std::string& program) {
  const HuntSettings& settings = what.settings;
  const search::Failure& failure = *report.failure;
  const search::Violation& violation = failure.violation;
  const bool drawn = !settings.is_exhaustive();
  std::cout << what.scenario->name << ' ' << search::breaks(violation.oracle) << ' '
            << violation.oracle << " (" << search::facts(violation.oracle).brief
            << ") in execution " << grouped(report.failed_execution)
            << (drawn ? " of seed " + std::to_string(settings.seed) : "") << " ("
            << in_words(settings.size) << "; strategy " << settings.strategy << "; "
            << describe_faults(settings.faults) << "):\n"
            << search::facts(violation.oracle).sentence << " But:\n"
            << violation.message << "\n\n"
            << "The shortest schedule found that does so: " << counted(failure.steps, "step")
            << ", " << counted(failure.deviations, "deviation")
            << " from the default schedule (before shrinking " << failure.original_deviations
            << "), with " << in_words(lab::ScenarioSize{failure.clients, failure.rounds}) << " and "
            << describe_faults(failure.faults) << ".\n\n"
            << failure.lanes << legend(failure.chronicle) << "\nAs a regression test:\n\n"
            << regression_test_of(failure, report.name)
            << "\nReplay it:   " << replay_command(failure, program)
            << "\nHunt again:  " << command_up_to_failure(what, report, program) << '\n';
}

nlohmann::ordered_json as_json(const Search& what, const HuntReport& report,
                               const HuntArguments& options) {
  nlohmann::ordered_json object =
      report.exhaustive ? exhaustive_as_json(what, report) : as_json(what, report);
  if (options.coverage) object["coverage"] = as_json(*report.coverage);
  object["faults_impossible"] = impossible_faults_as_json(what);
  if (report.failure) object["violation"] = violation_as_json(report);
  return object;
}

void print_as_text(const Search& what, const HuntReport& report, const std::string& program) {
  if (report.failure) {
    print_failure(what, report, program);
  } else if (report.exhaustive) {
    print_how_far(what, report);
  } else {
    print_success(what, report);
  }
  if (report.coverage) std::cout << report.coverage->text();
}

int status_of(const HuntReport& report) {
  if (report.stopped_by == lab::StoppedBy::kDependence) return kDiverged;
  if (report.failure) return kViolation;
  const bool interrupted = report.stopped_by == lab::StoppedBy::kInterruption;
  return interrupted ? status_of_interruption() : kOk;
}

// The search goes on from its checkpoint, if it has one.
HuntReport searched(const Search& what, const HuntArguments& options, CheckpointFile* file) {
  try {
    return search(what, !options.json, file);
  } catch (const search::UnusableCheckpoint& wrong) {
    throw UsageError("--resume: '" + *options.resume + "' " + wrong.what());
  }
}

// The page is written last: if that fails, the result has been printed all the same.
int run(const HuntArguments& options, const std::string& program, Backend zookeeper) {
  const Search what = search_of(options, zookeeper);
  const HtmlFile html = options.html ? HtmlFile(*options.html) : HtmlFile();
  std::optional<CheckpointFile> checkpoint;
  if (options.resume) checkpoint.emplace(*options.resume, command_for(what, "lockstep"));
  const Interruption interruption;
  warn_of_impossible_faults(what, options);
  const HuntReport report = searched(what, options, checkpoint ? &*checkpoint : nullptr);
  if (options.json) {
    print_json(as_json(what, report, options));
  } else {
    print_as_text(what, report, program);
  }
  if (html.wanted()) {
    std::cout << std::flush;
    html.write(page_of(what, report, program));
    if (!options.json) std::cout << "Timeline:    " << html.name() << '\n';
  }
  if (checkpoint) {
    std::cout << std::flush;
    checkpoint->check_saved();
  }
  return status_of(report);
}

void add_search_options(CLI::App& command, HuntArguments& options) {
  add_number<std::uint32_t>(command, "--clients", options.clients, 1, HuntSettings::kMostClients,
                            "Number of contending clients, at most " +
                                std::to_string(HuntSettings::kMostClients) + " (the scenario's)");
  add_number<std::uint32_t>(command, "--rounds", options.rounds, 1, HuntSettings::kMostRounds,
                            "How often each takes the lock, at most " +
                                std::to_string(HuntSettings::kMostRounds) + " (the scenario's)");
  command
      .add_option("--strategy", options.strategy,
                  "How to search: " + lab::strategy_names() + ", or " +
                      std::string(HuntSettings::kExhaustive))
      ->capture_default_str();
  command.add_option(
      "--reduction", options.reduction,
      "Which equivalent orders an exhaustive search skips: " + lab::reduction_names() + " (" +
          std::string(lab::reduction_of({}).name) + ")");
  add_number<std::uint64_t>(
      command, "--executions", options.executions, 1, HuntSettings::kMostExecutions,
      "Number of executions (20000; with --seconds as many as fit; an exhaustive search "
      "without it tries all schedules)");
  add_number<double>(command, "--seconds", options.seconds, 0.001, kMostSeconds,
                     "How long to search (until the executions are done)");
  add_number<std::uint64_t>(command, "--seed", options.seed, 0, ~std::uint64_t{0},
                            "Seed of all random choices (drawn, and printed)");
  add_number<std::uint64_t>(command, "--first", options.first, 0, HuntSettings::kMostExecutions,
                            "Index of the first execution, for a part of a larger hunt (0)");
  add_number<std::uint32_t>(command, "--jobs", options.jobs, 1, HuntSettings::kMostJobs,
                            "Number of threads; the result does not depend on it (1)");
}

void add_fault_options(CLI::App& command, HuntArguments& options) {
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

}  // namespace

std::string command_for(const Search& what, const std::string& program) {
  const HuntSettings& settings = what.settings;
  std::string command = program + " hunt " + std::string(what.scenario->name) + " --clients " +
                        std::to_string(settings.size.clients) + " --rounds " +
                        std::to_string(settings.size.rounds) + " --strategy " + settings.strategy +
                        " --faults " + fault_kinds(settings.faults);
  if (settings.faults.any()) {
    command += " --fault-budget " + std::to_string(settings.faults.total());
  }
  if (what.backend) command += " --backend zookeeper";
  const std::string_view reduction = lab::reduction_of(settings).name;
  if (reduction != lab::reduction_of({}).name) command += " --reduction " + std::string(reduction);
  if (settings.first > 0) command += " --first " + std::to_string(settings.first);
  if (settings.most_executions() < HuntSettings::kUnbounded) {
    command += " --executions " + std::to_string(settings.most_executions());
  }
  if (settings.is_exhaustive()) return command;
  // Without --seed the program would draw another one.
  return command + " --seed " + std::to_string(settings.seed);
}

std::string command_up_to_failure(const Search& what, const HuntReport& report,
                                  const std::string& program) {
  Search up_to_failure = what;
  up_to_failure.settings.executions = report.failed_execution - what.settings.first + 1;
  return command_for(up_to_failure, program);
}

std::string replay_command(const search::Failure& failure, const std::string& program) {
  return program + " replay " + failure.replay;
}

void add_hunt(CLI::App& app, CommandLine& line) {
  CLI::App* const command =
      app.add_subcommand("hunt", "Searches the schedules of a scenario for a violation");
  const auto options = std::make_shared<HuntArguments>();
  options->seed = std::random_device()();
  command->add_option("SCENARIO", options->scenario, "A scenario shown by 'list'")->required();
  add_search_options(*command, *options);
  add_fault_options(*command, *options);
  command->add_flag("--blocking", options->blocking,
                    "Hunt the scenario's blocking code: SCENARIO-blocking");
  command
      ->add_option("--backend", options->backend,
                   "'fake', or 'zookeeper': the production backend with ZooKeeper's C client and "
                   "all threads in the simulated world, one job")
      ->check(CLI::IsMember({"fake", "zookeeper"}))
      ->capture_default_str();
  command->add_flag(
      "--coverage", options->coverage,
      "Also report how many traces and states, and which events and faults were reached "
      "(ten times slower)");
  command->add_option("--html", options->html, "Write the timeline to this file, as HTML")
      ->type_name("FILE");
  command
      ->add_option("--resume", options->resume,
                   "Exhaustive: save what is finished in this file, every half minute and at the "
                   "end, and go on from it if it exists")
      ->type_name("FILE");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->footer(
      "An exhaustive search does not judge " + search::not_judged() +
      ".\n"
      "Exit status: 0 no violation, 1 violation, 2 bad input, 3 an exhaustive search contradicts\n"
      "itself, 74 a result cannot be written, 130 or 143 interrupted before there was a "
      "violation.");
  command->callback([&line, options] {
    line.run = [&line, options] { return run(*options, line.program, line.zookeeper); };
  });
}

}  // namespace lockstep::program
