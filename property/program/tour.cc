#include <iostream>
#include <memory>
#include <optional>

#include "caption.h"
#include "command.h"
#include "exhaust.h"
#include "html_file.h"
#include "hunt.h"
#include "screen.h"
#include "text.h"
#include "usage.h"

namespace lockstep::program {

namespace {

// Fixed, so that every user sees the same tour.
constexpr std::uint64_t kSeed = 1;
constexpr std::uint32_t kFaults = 2;
constexpr std::uint64_t kExecutions = 50'000;
constexpr std::string_view kBroken = "zoo-01-wait-after-missing-predecessor";
constexpr std::string_view kSound = "fair-mutex";

constexpr const char* kTimeline = "lockstep-tour.html";

struct TourArguments {
  std::uint64_t executions = kExecutions;
  std::optional<std::string> html;
  bool no_html = false;
};

HuntCommand hunt_of(std::string_view scenario, std::uint64_t executions) {
  HuntCommand what;
  what.scenario = scenarios::find(scenario);
  what.settings.size = what.scenario->size;
  what.settings.faults = fakezk::FaultPlan::all(kFaults);
  what.settings.seed = kSeed;
  what.settings.executions = executions;
  what.settings.jobs = jobs_for_all_processors();
  return what;
}

// Returns true if the hunt caught the broken lock's own bug.
bool hunt_the_broken_one(std::uint64_t executions, const HtmlFile& html,
                         const std::string& program) {
  const HuntCommand what = hunt_of(kBroken, executions);
  std::cout << "1. " << what.scenario->name << ": a lock with a bug that was shipped more than\n"
            << "   once. " << what.scenario->summary << "\n"
            << std::flush;
  const lab::HuntReport report = search(what, true);
  if (!report.failure) {
    std::cout << "\n   " << Screen::output().good("No violation") << " in "
              << counted(report.executions, "execution") << ", although there is one.\n";
    return false;
  }
  const search::Failure& failure = *report.failure;
  const search::Violation& violation = failure.violation;
  const Screen screen = Screen::output();
  const std::string breaks = std::string(search::breaks(violation.oracle)) + ' ' + violation.oracle;
  std::cout << "\n   Execution " << grouped(report.failed_execution) << ' ' << screen.bad(breaks)
            << " (" << search::facts(violation.oracle).brief
            << "). Made as short as possible, with " << counted(failure.deviations, "deviation")
            << "\n   from the default schedule instead of " << failure.original_deviations
            << ":\n\n"
            << screen.lanes(failure.chronicle, failure.lanes) << "\n   "
            << "The waiter has seen its predecessor in the list; the predecessor is deleted before "
               "the\n   waiter's watch is registered, and it waits for an event in the past.\n\n"
               "   Replay it:   "
            << replay_command(failure, program)
            << "\n   Hunt again:  " << command_up_to_failure(what, report, program) << '\n';
  if (html.wanted()) {
    html.write(page_of(what, report, program));
    std::cout << "   Timeline:    " << html.name() << " (open it in a browser)\n";
  }
  std::cout << '\n' << std::flush;
  return violation.oracle == what.scenario->expects;
}

// Returns true if the library's recipe holds.
bool hunt_the_sound_one(std::uint64_t executions, const std::string& program) {
  const HuntCommand what = hunt_of(kSound, executions);
  std::cout << "2. " << what.scenario->name << ": this library's version of the same lock, with "
            << counted(what.settings.size.clients, "client") << ".\n"
            << std::flush;
  const lab::HuntReport report = search(what, true);
  const auto rate = static_cast<std::uint64_t>(executions_per_second(report));
  if (report.failure) {
    const search::Failure& failure = *report.failure;
    const Screen screen = Screen::output();
    std::cout << "\n   It " << search::breaks(failure.violation.oracle) << ' '
              << failure.violation.oracle << ", which it must not:\n"
              << failure.violation.message << "\n\n"
              << screen.lanes(failure.chronicle, failure.lanes)
              << "\n   Replay it:   " << replay_command(failure, program) << '\n';
    return false;
  }
  std::cout << "\n   " << Screen::output().good("No violation") << " in "
            << counted(report.executions, "execution") << " (" << counted(report.steps, "step")
            << "), " << grouped(rate)
            << " executions per second.\n\n   Hunt again:  " << command_for(what, program) << '\n';
  return true;
}

// Returns true if no schedule with at most one fault breaks it.
bool exhaust_the_sound_one(const std::string& program) {
  HuntCommand what = hunt_of(kSound, lab::HuntSettings::kUnbounded);
  what.settings.size.clients = 2;
  what.settings.strategy = lab::HuntSettings::kExhaustive;
  what.settings.faults = fakezk::FaultPlan();
  what.settings.faults.set_total(1);
  for (const fakezk::FaultKind kind :
       {fakezk::FaultKind::kCut, fakezk::FaultKind::kExpiry, fakezk::FaultKind::kKillSession,
        fakezk::FaultKind::kTimer, fakezk::FaultKind::kLateApply}) {
    what.settings.faults.allow(kind);
  }
  std::cout << "\n3. " << what.scenario->name << " again, every schedule of it, with "
            << counted(what.settings.size.clients, "client") << " and one fault.\n"
            << std::flush;
  const lab::HuntReport report = search(what, true);
  std::cout << "\n   " << report.verdict() << ".\n"
            << "\n   Search again:  " << command_for(what, program) << '\n';
  return report.exhaustive->exhausted;
}

// The timeline's file, and what to say about it before the hunts.
struct Page {
  HtmlFile file;
  std::string announcement;
};

// Writes nothing where the user does not expect it: the page goes to the named file, else to one
// with a fixed name in the current directory.
Page page_for(const TourArguments& options) {
  if (options.no_html) return {HtmlFile(), "No page is written.\n"};
  if (options.html) return {HtmlFile(*options.html), "Writes " + *options.html + ".\n"};
  try {
    return {HtmlFile(kTimeline), "Writes " + std::string(kTimeline) +
                                     ", the timeline of the failure, to the current directory "
                                     "(--html FILE: elsewhere,\n--no-html: not at all).\n"};
  } catch (const UsageError& error) {
    return {HtmlFile(), "Writes no timeline: " + std::string(error.what()) +
                            "; --html FILE writes it elsewhere.\n"};
  }
}

int run(const TourArguments& options, const std::string& program) {
  const Page page = page_for(options);
  std::cout << "In a simulated ZooKeeper, where a seed decides which message travels next and what "
               "fails,\nthis first hunts a lock with a famous race and shows the shortest schedule "
               "that breaks it.\nThen it hunts the library's own lock under the same faults: "
            << "at most " << counted(kFaults, "fault") << " per execution (" << fault_kind_names()
            << ").\nFinally it tries every schedule of that lock with two clients and one fault of "
               "five kinds.\n"
            << page.announcement << '\n';
  const bool caught = hunt_the_broken_one(options.executions, page.file, program);
  const bool holds = hunt_the_sound_one(options.executions, program);
  const bool proved = exhaust_the_sound_one(program);
  return caught && holds && proved ? kOk : kViolation;
}

}  // namespace

void add_tour(CLI::App& app, CommandLine& line) {
  CLI::App* const command = app.add_subcommand(
      "tour", "Shows what this program does: a broken lock is caught, a sound one holds");
  const auto options = std::make_shared<TourArguments>();
  add_number<std::uint64_t>(*command, "--executions", options->executions, 1, 1'000'000'000,
                            "The most executions of each hunt (50000)");
  CLI::Option* const html =
      command
          ->add_option("--html", options->html,
                       "Write the timeline to this file (" + std::string(kTimeline) + ")")
          ->type_name("FILE");
  command->add_flag("--no-html", options->no_html, "Write no timeline")->excludes(html);
  command->footer(
      "Exit status: 0 both locks behaved as expected, 1 not, 2 bad input, 74 a result cannot be "
      "written.");
  command->callback(
      [&line, options] { line.run = [&line, options] { return run(*options, line.program); }; });
}

}  // namespace lockstep::program
