#include "hunt.h"

#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "caption.h"
#include "command.h"
#include "exhaust.h"
#include "html_file.h"
#include "interruption.h"
#include "size.h"
#include "text.h"
#include "usage.h"

namespace lockstep::program {

namespace {

constexpr std::uint32_t kMostJobs = 256;
constexpr double kMostSeconds = 10'000'000;
constexpr std::uint32_t kUsualFaults = 2;
// As many as a strategy places in one execution.
constexpr std::uint32_t kMostFaults = 16;

// What the command line says; 0 stands for what was not given and has no fixed default.
struct Options {
  std::string scenario;
  std::uint32_t clients = 0;
  std::uint32_t rounds = 0;
  std::string strategy{default_strategy().name};
  std::string reduction;  // Only with "exhaustive".
  std::uint64_t executions = 0;
  double seconds = 0;
  std::uint64_t seed = 0;
  std::uint64_t first = 0;
  std::string faults = "all";
  std::uint32_t fault_budget = kUsualFaults;
  std::uint32_t jobs = 1;
  bool blocking = false;
  bool coverage = false;
  std::optional<std::string> html;
  bool json = false;
};

fakezk::FaultPlan plan_of(const Options& options) {
  fakezk::FaultPlan plan;
  const std::string wrong = search::parse_fault_kinds(options.faults, plan);
  if (!wrong.empty()) throw UsageError("--faults: " + wrong);
  plan.set_total(options.fault_budget);
  // Equal searches get equal plans, so that they draw alike.
  return plan.any() ? plan : fakezk::FaultPlan();
}

const scenarios::Scenario* scenario_of(const Options& options) {
  const scenarios::Scenario* const scenario = scenarios::find(options.scenario);
  if (!scenario) {
    throw UsageError("there is no scenario '" + options.scenario + "'; 'list' shows them");
  }
  if (!options.blocking) return scenario;
  const scenarios::Scenario* const blocking = scenarios::find_blocking(options.scenario);
  if (blocking) return blocking;
  throw UsageError("--blocking: '" + options.scenario +
                   "' is not written as code that blocks; 'list' shows which are");
}

Search search_of(const Options& options) {
  Search what;
  what.scenario = scenario_of(options);
  what.size = what.scenario->size;
  if (options.clients > 0) what.size.clients = options.clients;
  if (options.rounds > 0) what.size.rounds = options.rounds;
  if (!possible(what.size)) {
    throw UsageError("--rounds: " + in_words(what.size) + " are more than " +
                     std::to_string(kMostRoundsInAll) + " rounds in all");
  }
  const bool exhaustive = options.strategy == kExhaustive;
  what.strategy = exhaustive ? &exhaustive_strategy() : &strategy_called(options.strategy);
  if (!options.reduction.empty()) {
    if (!exhaustive) throw UsageError("--reduction: only with --strategy exhaustive");
    what.reduction = &reduction_called(options.reduction);
  }
  what.faults = plan_of(options);
  what.seed = options.seed;
  what.first = options.first;
  what.jobs = options.jobs;
  what.coverage = options.coverage;
  if (options.seconds > 0) what.seconds = options.seconds;
  if (exhaustive || options.seconds > 0) what.executions = kUnlimitedExecutions;
  if (options.executions > 0) what.executions = options.executions;
  return what;
}

// The kinds that the search allows although they cannot strike there.
std::vector<fakezk::FaultKind> impossible_faults_of(const Search& what) {
  const std::unique_ptr<search::Program> program = what.scenario->make(what.size);
  const fakezk::FaultKinds impossible = search::impossible_faults(*program) & what.faults.kinds();
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

// "All" means all that there are; who names a kind expects it to strike.
void warn_of_impossible_faults(const Search& what, const Options& options) {
  if (options.json || options.faults == "all") return;
  std::string kinds;
  for (const fakezk::FaultKind kind : impossible_faults_of(what)) {
    const bool is_crash = kind == fakezk::FaultKind::kCrash;
    kinds += (kinds.empty() ? "" : ", ") + std::string(name(kind)) +
             (is_crash ? " (nobody starts a process again)" : " (there is one server)");
  }
  if (kinds.empty()) return;
  std::cerr << "lockstep: note: in " << what.scenario->name << " there can be no " << kinds << '\n';
}

std::string_view stopped_by(const Searched& searched) {
  using StoppedBy = search::HuntResult::StoppedBy;
  switch (searched.result.stopped_by) {
    case StoppedBy::kCount: return "count";
    case StoppedBy::kViolation: return "violation";
    case StoppedBy::kTime: return searched.interrupted ? "interrupt" : "time";
  }
  return "";
}

nlohmann::ordered_json violation_as_json(const search::Failure& failure, std::uint64_t execution,
                                         std::string_view scenario) {
  return {{"oracle", failure.violation.oracle},
          {"message", failure.violation.message},
          {"execution", execution},
          {"steps", failure.steps},
          {"deviations", failure.deviations},
          {"original_deviations", failure.original_deviations},
          {"clients", failure.clients},
          {"rounds", failure.rounds},
          {"faults", fault_kinds(failure.faults)},
          {"replay", failure.replay},
          {"regression_test", regression_test_of(failure, scenario)}};
}

nlohmann::ordered_json as_json(const Search& what, const Searched& searched) {
  const search::HuntResult& result = searched.result;
  return {{"scenario", what.scenario->name},
          {"strategy", what.strategy->name},
          {"seed", what.seed},
          {"clients", what.size.clients},
          {"rounds", what.size.rounds},
          {"faults", fault_kinds(what.faults)},
          {"fault_budget", what.faults.total()},
          {"first", what.first},
          {"jobs", what.jobs},
          {"executions", result.executions},
          {"steps", result.steps},
          {"seconds", searched.seconds},
          {"executions_per_second", searched.executions_per_second()},
          {"exhausted", false},
          {"traces", nullptr},
          {"final_states", nullptr},
          {"trace_hash", hex(result.trace_hash)},
          {"stopped_by", stopped_by(searched)},
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

void print_success(const Search& what, const Searched& searched) {
  const search::HuntResult& result = searched.result;
  const auto rate = static_cast<std::uint64_t>(searched.executions_per_second());
  std::cout << what.scenario->name << ": no violation in "
            << counted(result.executions, "execution") << " (" << in_words(what.size)
            << "; strategy " << what.strategy->name << "; seed " << what.seed << "; "
            << describe_faults(what.faults) << "). " << counted(result.steps, "step") << ", "
            << grouped(rate) << " executions per second, trace hash " << hex(result.trace_hash)
            << (searched.interrupted ? ". Interrupted.\n" : ".\n");
}

void print_failure(const Search& what, const Searched& searched, const search::Failure& failure,
                   const std::string& program) {
  const search::Found& found = *searched.result.found;
  const search::Violation& violation = failure.violation;
  const bool drawn = what.strategy != &exhaustive_strategy();
  std::cout << what.scenario->name << ' ' << search::breaks(violation.oracle) << ' '
            << violation.oracle << " (" << search::guarantee(violation.oracle) << ") in execution "
            << grouped(found.execution) << (drawn ? " of seed " + std::to_string(what.seed) : "")
            << " (" << in_words(what.size) << "; strategy " << what.strategy->name << "; "
            << describe_faults(what.faults) << "):\n"
            << search::guarantee_sentence(violation.oracle) << " But:\n"
            << violation.message << "\n\n"
            << "The shortest schedule found that does so: " << counted(failure.steps, "step")
            << ", " << counted(failure.deviations, "deviation") << " from the calm one (before "
            << "shrinking " << failure.original_deviations << "), with "
            << in_words(lab::ScenarioSize{failure.clients, failure.rounds}) << " and "
            << describe_faults(failure.faults) << ".\n\n"
            << failure.lanes << legend(failure.chronicle) << "\nAs a regression test:\n\n"
            << regression_test_of(failure, what.scenario->name)
            << "\nReplay it:   " << replay_command(failure, program)
            << "\nHunt again:  " << command_for(what, found, program) << '\n';
}

// What every kind of search ends with. The page comes last: if it cannot be written, what was found
// is told all the same.
int report(const Search& what, const Searched& searched, nlohmann::ordered_json object,
           const Options& options, const HtmlFile& html, const std::string& program,
           const std::function<void()>& print_success) {
  const std::optional<search::Found>& found = searched.result.found;
  std::optional<search::Failure> failure;
  if (found) failure = explain(what, *found);
  if (options.json) {
    object["faults_impossible"] = impossible_faults_as_json(what);
    if (failure) {
      object["violation"] = violation_as_json(*failure, found->execution, what.scenario->name);
    }
    print_json(object);
  } else if (failure) {
    print_failure(what, searched, *failure, program);
  } else {
    print_success();
  }
  if (!options.json && options.coverage) std::cout << searched.result.coverage->text();
  if (html.wanted()) {
    std::cout << std::flush;
    html.write(page_of(what, searched, failure ? &*failure : nullptr, program));
    if (!options.json) std::cout << "Timeline:    " << html.name() << '\n';
  }
  if (failure) return kViolation;
  return searched.interrupted ? status_of_interruption() : kOk;
}

int run_exhaustive(const Search& what, const Options& options, const HtmlFile& html,
                   const std::string& program) {
  if (options.first > 0) throw UsageError("--first: an exhaustive search has no parts");
  if (options.coverage) throw UsageError("--coverage: an exhaustive search reaches everything");
  const Exhausted exhausted = exhaust(what, !options.json);
  const int status = report(what, exhausted.as_searched(), exhausted.as_json(what), options, html,
                            program, [&] { exhausted.print_how_far(what); });
  return exhausted.result.independence_violated.empty() ? status : kDiverged;
}

int run(const Options& options, const std::string& program) {
  const Search what = search_of(options);
  const HtmlFile html = options.html ? HtmlFile(*options.html) : HtmlFile();
  const Interruption interruption;
  warn_of_impossible_faults(what, options);
  if (options.strategy == kExhaustive) return run_exhaustive(what, options, html, program);
  const Searched searched = search(what, !options.json);
  nlohmann::ordered_json object = as_json(what, searched);
  if (options.coverage) object["coverage"] = as_json(*searched.result.coverage);
  return report(what, searched, std::move(object), options, html, program,
                [&] { print_success(what, searched); });
}

void add_search_options(CLI::App& command, Options& options) {
  add_number<std::uint32_t>(command, "--clients", options.clients, 1, kMostClients,
                            "How many clients contend, at most " + std::to_string(kMostClients) +
                                " (as the scenario says)");
  add_number<std::uint32_t>(command, "--rounds", options.rounds, 1, kMostRounds,
                            "How often each takes the lock, at most " +
                                std::to_string(kMostRounds) + " (as the scenario says)");
  command
      .add_option("--strategy", options.strategy,
                  "How to search: " + strategy_names() + ", or " + std::string(kExhaustive))
      ->capture_default_str();
  command.add_option("--reduction", options.reduction,
                     "Which equal orders an exhaustive search leaves out: " + reduction_names() +
                         " (" + std::string(default_reduction().name) + ")");
  add_number<std::uint64_t>(
      command, "--executions", options.executions, 1, kMostExecutions,
      "How many executions (20000; with --seconds as many as fit; an exhaustive search "
      "without it ends when all is tried)");
  add_number<double>(command, "--seconds", options.seconds, 0.001, kMostSeconds,
                     "How long to search (until the executions are done)");
  add_number<std::uint64_t>(command, "--seed", options.seed, 0, ~std::uint64_t{0},
                            "What all choices follow from (drawn, and printed)");
  add_number<std::uint64_t>(command, "--first", options.first, 0, kMostExecutions,
                            "The first execution: a part of a larger search (0)");
  add_number<std::uint32_t>(command, "--jobs", options.jobs, 1, kMostJobs,
                            "How many threads; the result is the same for any number (1)");
}

void add_fault_options(CLI::App& command, Options& options) {
  command
      .add_option("--faults", options.faults,
                  "Which faults: all, none, or kinds with optional caps (cut,expiry:1): " +
                      fault_kind_names())
      ->type_name("KINDS")
      ->capture_default_str();
  add_number<std::uint32_t>(command, "--fault-budget", options.fault_budget, 0, kMostFaults,
                            "The most faults of one execution, of all kinds together (2)");
}

}  // namespace

std::string command_for(const Search& what, const std::string& program) {
  std::string command = program + " hunt " + std::string(what.scenario->name) + " --clients " +
                        std::to_string(what.size.clients) + " --rounds " +
                        std::to_string(what.size.rounds) + " --strategy " +
                        std::string(what.strategy->name) + " --faults " + fault_kinds(what.faults);
  if (what.faults.any()) command += " --fault-budget " + std::to_string(what.faults.total());
  const bool exhaustive = what.strategy == &exhaustive_strategy();
  if (exhaustive && what.reduction != &default_reduction()) {
    command += " --reduction " + std::string(what.reduction->name);
  }
  if (what.first > 0) command += " --first " + std::to_string(what.first);
  if (what.executions < kUnlimitedExecutions) {
    command += " --executions " + std::to_string(what.executions);
  }
  return exhaustive ? command : command + " --seed " + std::to_string(what.seed);  // Else drawn.
}

std::string command_for(const Search& what, const search::Found& found,
                        const std::string& program) {
  Search up_to_found = what;
  up_to_found.executions = found.execution - what.first + 1;
  return command_for(up_to_found, program);
}

std::string replay_command(const search::Failure& failure, const std::string& program) {
  return program + " replay " + failure.replay;
}

void add_hunt(CLI::App& app, CommandLine& line) {
  CLI::App* const command =
      app.add_subcommand("hunt", "Searches the schedules of a scenario for a violation");
  const auto options = std::make_shared<Options>();
  options->seed = std::random_device()();
  command->add_option("SCENARIO", options->scenario, "One of those that 'list' shows")->required();
  add_search_options(*command, *options);
  add_fault_options(*command, *options);
  command->add_flag("--blocking", options->blocking,
                    "Hunt the scenario as code that blocks: SCENARIO-blocking");
  command->add_flag(
      "--coverage", options->coverage,
      "Also tell how many traces and states, and which events and faults were reached "
      "(ten times slower)");
  command->add_option("--html", options->html, "Write the timeline to this file, as HTML")
      ->type_name("FILE");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->footer(
      "An exhaustive search does not judge L3 and livelock by repetition.\n"
      "Exit status: 0 no violation, 1 violation, 2 bad input, 3 an exhaustive search contradicts\n"
      "itself, 74 a result cannot be written, 130 or 143 interrupted before there was a "
      "violation.");
  command->callback(
      [&line, options] { line.run = [&line, options] { return run(*options, line.program); }; });
}

}  // namespace lockstep::program
