#include "hunt_result.h"

#include <iostream>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "caption.h"
#include "checkpoint_file.h"
#include "command.h"
#include "exhaust.h"
#include "html_file.h"
#include "hunt.h"
#include "interruption.h"
#include "lockstep/search/version.h"
#include "screen.h"
#include "text.h"
#include "usage.h"

namespace lockstep::program {

namespace {

using lab::HuntReport;
using lab::HuntSettings;

// The kinds of faults that the search allows, but that cannot strike in this scenario.
std::vector<fakezk::FaultKind> impossible_faults_of(const HuntCommand& what) {
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

nlohmann::ordered_json impossible_faults_as_json(const HuntCommand& what) {
  auto names = nlohmann::ordered_json::array();
  for (const fakezk::FaultKind kind : impossible_faults_of(what)) names.push_back(name(kind));
  return names;
}

// "all" means every possible kind; a user who names a kind expects it to strike.
void warn_of_impossible_faults(const HuntCommand& what, const SearchOptions& options) {
  if (options.json || options.faults == "all") return;
  fakezk::FaultKinds impossible = 0;
  for (const fakezk::FaultKind kind : impossible_faults_of(what)) impossible |= bit(kind);
  const std::string kinds = lab::describe_impossible(impossible);
  if (kinds.empty()) return;
  std::cerr << "lockstep: note: in " << what.scenario->name
            << " these faults cannot strike: " << kinds << '\n';
}

nlohmann::ordered_json violation_as_json(const HuntCommand& what, const HuntReport& report) {
  const search::Failure& failure = *report.failure;
  nlohmann::ordered_json test;  // None for a program that was not compiled for a hunt.
  if (!what.target) test = regression_test_of(failure, report.name);
  return {{"oracle", failure.violation.oracle},
          {"message", failure.violation.message},
          {"execution", report.failed_execution},
          {"steps", failure.steps},
          {"deviations", failure.deviations},
          {"original_deviations", failure.original_deviations},
          {"original_steps", failure.original_steps},
          {"clients", failure.clients},
          {"rounds", failure.rounds},
          {"faults", fault_kinds(failure.faults)},
          {"replay", failure.replay},
          {"regression_test", std::move(test)}};
}

nlohmann::ordered_json as_json(const HuntCommand& what, const HuntReport& report) {
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

std::string what_was_judged(const HuntCommand& what, const search::Judgements& judged) {
  if (!what.target) return judged.text() + '\n';
  if (judged.of(search::Oracle::kMisuse) == 0) {
    return "Judged nothing but the program's end: it has opened no session with a server.\n";
  }
  if (!what.target_has_lock) return "No lock was judged: --lock PATH names it.\n";
  const std::uint64_t times = judged.of(search::Oracle::kS1);
  if (times != 0) return "Judged: S1 " + std::to_string(times) + " times.\n";
  return "Judged nothing: S1 (no client removed its own znode from the queue below --lock).\n";
}

void print_success(const HuntCommand& what, const HuntReport& report) {
  const HuntSettings& settings = what.settings;
  const auto rate = static_cast<std::uint64_t>(executions_per_second(report));
  const std::string verdict = verdict_of(what, report.judged);
  const Screen screen = Screen::output();
  std::cout << what.scenario->name << ": "
            << (verdict == "no violation" ? screen.good(verdict) : screen.warning(verdict))
            << " in " << counted(report.executions, "execution") << " (" << in_words(settings.size)
            << "; strategy " << settings.strategy << "; seed " << settings.seed << "; "
            << describe_faults(settings.faults) << "). " << counted(report.steps, "step") << ", "
            << grouped(rate) << " executions per second with " << counted(settings.jobs, "job")
            << ", trace hash " << hex(report.trace_hash) << ", by lockstep " << search::version()
            << (report.stopped_by == lab::StoppedBy::kInterruption ? ". Interrupted.\n" : ".\n")
            << what_was_judged(what, report.judged);
}

// The number of steps before shrinking is not known for a schedule that ended its process.
std::string steps_before(const search::Failure& failure) {
  if (failure.original_steps <= failure.steps) return "";
  return " instead of " + grouped(failure.original_steps);
}

void print_failure(const HuntCommand& what, const HuntReport& report, const std::string& program) {
  const HuntSettings& settings = what.settings;
  const search::Failure& failure = *report.failure;
  const search::Violation& violation = failure.violation;
  const bool drawn = !settings.is_exhaustive();
  const Screen screen = Screen::output();
  const std::string breaks = std::string(search::breaks(violation.oracle)) + ' ' + violation.oracle;
  std::cout << what.scenario->name << ' ' << screen.bad(breaks) << " ("
            << search::facts(violation.oracle).brief << ") in execution "
            << grouped(report.failed_execution)
            << (drawn ? " of seed " + std::to_string(settings.seed) : "") << " ("
            << in_words(settings.size) << "; strategy " << settings.strategy << "; "
            << describe_faults(settings.faults) << "):\n"
            << search::facts(violation.oracle).sentence << " But:\n"
            << violation.message << "\n\n"
            << "The shortest schedule found that does so: " << counted(failure.steps, "step")
            << steps_before(failure) << ", " << counted(failure.deviations, "deviation")
            << " from the default schedule (before shrinking " << failure.original_deviations
            << "), with " << in_words(lab::ScenarioSize{failure.clients, failure.rounds}) << " and "
            << describe_faults(failure.faults) << ".\n\n"
            << screen.lanes(failure.chronicle, failure.lanes);
  if (!what.target) {
    std::cout << "\nAs a regression test:\n\n" << regression_test_of(failure, report.name);
  }
  const std::string replay = replay_command(what, failure, program);
  if (what.target) std::cout << "\nDebug it:    gdb --args " << replay;
  std::cout << "\nReplay it:   " << replay
            << "\nHunt again:  " << command_up_to_failure(what, report, program)
            << "\nFound by:    lockstep " << search::version() << '\n';
}

nlohmann::ordered_json as_json(const HuntCommand& what, const HuntReport& report,
                               const SearchOptions& options) {
  nlohmann::ordered_json object =
      report.exhaustive ? exhaustive_as_json(what, report) : as_json(what, report);
  if (what.target) object["program"] = what.target_command.substr(1);  // Without the first blank.
  if (options.coverage) object["coverage"] = as_json(*report.coverage);
  object["faults_impossible"] = impossible_faults_as_json(what);
  if (report.failure) object["violation"] = violation_as_json(what, report);
  return object;
}

void print_as_text(const HuntCommand& what, const HuntReport& report, const std::string& program) {
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

// Resumes the search from its checkpoint, if it has one.
HuntReport searched(const HuntCommand& what, const SearchOptions& options, CheckpointFile* file) {
  try {
    return search(what, !options.json, file);
  } catch (const search::UnusableCheckpoint& wrong) {
    throw UsageError("--resume: '" + *options.resume + "' " + wrong.what());
  }
}

}  // namespace

std::string hint_at_cores(double seconds, unsigned cores) {
  constexpr double kAWhile = 5;
  if (seconds < kAWhile || cores <= kMostUsualJobs) return "";
  return "This machine has " + std::to_string(cores) + " cores: --jobs " + std::to_string(cores) +
         " has the same result sooner.\n";
}

// Write the page last: if that fails, the result has been printed.
int hunt_and_show(const HuntCommand& what, const SearchOptions& options,
                  const std::string& program) {
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
    if (!report.failure && options.jobs == 0 && what.takes_jobs()) {
      std::cout << hint_at_cores(report.seconds, std::thread::hardware_concurrency());
    }
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

}  // namespace lockstep::program
