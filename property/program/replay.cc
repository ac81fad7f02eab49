#include "replay.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>

#include "caption.h"
#include "command.h"
#include "html_file.h"
#include "lockstep/lab/hunt.h"
#include "lockstep/lab/last_words.h"
#include "lockstep/search/report.h"
#include "scenarios/last_words.h"
#include "scenarios/registry.h"
#include "screen.h"
#include "text.h"
#include "usage.h"

namespace lockstep::program {

namespace {

// Far longer than any replay string; without a limit, reading a device might never end.
constexpr std::size_t kLongestFile = std::size_t{16} << 20;

// Removes blanks around the text, which copying may add.
std::string trimmed(const std::string& text) {
  constexpr const char* kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string read_file(const std::string& name) {
  std::error_code why;
  if (std::filesystem::is_directory(name, why)) {
    why = std::make_error_code(std::errc::is_a_directory);
  }
  std::ifstream file(name, std::ios::binary);
  if (why || !file) {
    throw UsageError("cannot read '" + name + "'" + (why ? ": " + why.message() : ""));
  }
  // One more byte shows whether the file is longer.
  std::string text(kLongestFile + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kLongestFile) {
    throw UsageError("'" + name + "' holds no replay string: it is longer than " +
                     std::to_string(kLongestFile >> 20) + " MiB");
  }
  text = trimmed(text);
  if (text.empty()) throw UsageError("'" + name + "' holds no replay string");
  return text;
}

// The parts of a replay string, checked.
struct Recorded {
  search::ReplayString string;
  lab::LockUnderTest lock{std::string()};
  lab::ScenarioSize size;
  search::ExecutionLimits limits;
};

using FindLock = std::function<lab::LockUnderTest(std::string_view)>;

void check_clients(std::uint32_t given, const search::ReplayString& string) {
  if (given == 0 || given == string.clients) return;
  throw UsageError("--clients: the replay string is of " + counted(string.clients, "client") +
                   ", not of " + std::to_string(given));
}

Recorded read(const ReplayOptions& options, const FindLock& find) {
  const std::string& argument = options.string;
  const std::string text =
      argument.starts_with('@') ? read_file(argument.substr(1)) : trimmed(argument);
  Recorded recorded;
  const std::string wrong = search::ReplayString::parse(text, recorded.string);
  if (!wrong.empty()) throw UsageError(wrong);
  const search::ReplayString& string = recorded.string;
  recorded.lock = find(string.scenario);
  check_clients(options.clients, string);
  recorded.size = {string.clients, string.rounds};
  if (!lab::possible(recorded.size)) throw UsageError("the replay string is corrupt at its size");
  recorded.limits.faults = string.faults;
  return recorded;
}

// The replay string of the execution as it runs now.
search::ReplayString string_of(const Recorded& recorded, const search::Recording& recording) {
  search::ReplayString now = recorded.string;
  now.trace_hash = recording.outcome.trace_hash;
  now.keep(recording.checks);
  return now;
}

// Returns the first step, counted from 1, that differs from the recording; the last step if only
// the trace hash differs, because then the step's consequences or the verdict differ. Throws
// UsageError if the string contradicts itself.
std::optional<std::uint32_t> first_difference(const Recorded& recorded,
                                              const search::Recording& recording) {
  if (!recorded.string.known) return std::nullopt;
  const search::ReplayString now = string_of(recorded, recording);
  if (now == recorded.string) return std::nullopt;
  if (now.trace_hash == recorded.string.trace_hash) {
    throw UsageError("the replay string is corrupt at its checks");
  }
  return recorded.string.first_difference(now);
}

std::string_view result_of(const search::Recording& recording,
                           std::optional<std::uint32_t> difference, bool tolerant) {
  if (difference && !tolerant) return "diverged";
  return recording.outcome.violation ? "reproduced" : "not reproduced";
}

std::string page_of(const Recorded& recorded, const search::Recording& recording,
                    const std::string& program) {
  const search::ReplayString now = string_of(recorded, recording);
  return timeline_page(recording.chronicle, caption_of(now, recording, program));
}

void print_as_json(const Recorded& recorded, const search::Recording& recording,
                   std::optional<std::uint32_t> difference, bool tolerant) {
  const search::ReplayString& string = recorded.string;
  nlohmann::ordered_json object = {{"scenario", string.scenario},
                                   {"clients", string.clients},
                                   {"rounds", string.rounds},
                                   {"faults", fault_kinds(string.faults)},
                                   {"fault_budget", string.faults.total()},
                                   {"deviations", string.deviations.size()},
                                   {"steps", recording.outcome.steps},
                                   {"trace_hash", hex(recording.outcome.trace_hash)},
                                   {"result", result_of(recording, difference, tolerant)},
                                   {"diverged_at_step", nullptr},
                                   {"violation", nullptr},
                                   {"replay", string_of(recorded, recording).text()},
                                   {"lanes", recording.lanes}};
  if (difference) object["diverged_at_step"] = *difference;
  if (const std::optional<search::Violation>& violation = recording.outcome.violation) {
    object["violation"] = {
        {"oracle", violation->oracle}, {"message", violation->message}, {"step", violation->step}};
  }
  print_json(object);
}

void print_divergence(const Recorded& recorded, const search::Recording& recording,
                      std::uint32_t step) {
  const std::size_t recorded_steps = recorded.string.checks.size();
  const std::size_t steps = recording.checks.size();
  std::cout << "Diverged: ";
  if (step > steps) {
    std::cout << "this execution ends after step " << steps << ", the recorded one went on to step "
              << recorded_steps << ".\n";
    return;
  }
  if (step > recorded_steps && recorded.string.goes_on) {
    std::cout << "the first " << recorded_steps
              << " steps are as recorded, but a later one is not. "
              << "Step " << step << " is now:\n\n";
  } else if (step > recorded_steps) {
    std::cout << "the recorded execution ended after step " << recorded_steps
              << ", this one goes on. Step " << step << " is now:\n\n";
  } else if (step == recorded_steps && step == steps &&
             recorded.string.checks.back() == recording.checks.back()) {
    std::cout << "every step begins as recorded, but the consequences of the last one, step "
              << step << ", or the verdict differ. It is now:\n\n";
  } else {
    std::cout << "step " << step << " is the first that is not as recorded. It is now:\n\n";
  }
  std::cout << draw_step(recording.chronicle, step);
}

void print_as_text(const Recorded& recorded, const search::Recording& recording,
                   std::optional<std::uint32_t> difference) {
  const std::optional<search::Violation>& violation = recording.outcome.violation;
  const Screen screen = Screen::output();
  std::cout << recorded.string.scenario << ", " << in_words(recorded.size) << ", "
            << counted(recorded.string.deviations.size(), "deviation")
            << " from the default schedule:\n\n"
            << screen.lanes(recording.chronicle, recording.lanes) << '\n';
  if (difference) print_divergence(recorded, recording, *difference);
  if (violation) {
    const std::string breaks =
        std::string(search::breaks(violation->oracle)) + ' ' + violation->oracle;
    std::cout << (difference ? "\nAs it runs now, it " : "Reproduced: it ") << screen.bad(breaks)
              << " (" << search::facts(violation->oracle).brief << ") at step " << violation->step
              << ":\n"
              << violation->message << '\n';
  } else if (!difference) {
    std::cout << (recorded.string.known
                      ? "Not reproduced: the execution is the recorded one and breaks nothing.\n"
                      : "Not reproduced: this schedule breaks nothing now (its execution was not"
                        " recorded, so it may be another one).\n");
  }
}

void print_what_tolerance_did(const search::Recording& recording) {
  std::cout << "From there on it followed the default schedule, which breaks "
            << (recording.outcome.violation ? "it all the same.\n" : "nothing.\n");
}

}  // namespace

int replay_and_show(const ReplayOptions& options, const std::string& program_name,
                    const FindLock& find) {
  const Recorded recorded = read(options, find);
  const HtmlFile html = options.html ? HtmlFile(*options.html) : HtmlFile();
  const std::unique_ptr<search::Program> program =
      lab::with_last_words(recorded.lock.program(recorded.size), recorded.lock.name, recorded.size,
                           recorded.string.faults, options.replay_by);
  const bool calm_when_different = options.tolerant && recorded.string.known;
  const search::Recording recording = record(*program, recorded.limits, recorded.string.deviations,
                                             calm_when_different ? &recorded.string : nullptr);
  const std::optional<std::uint32_t> difference = first_difference(recorded, recording);
  if (options.json) {
    print_as_json(recorded, recording, difference, options.tolerant);
  } else {
    print_as_text(recorded, recording, difference);
    if (difference && options.tolerant) print_what_tolerance_did(recording);
  }
  if (html.wanted()) {
    std::cout << std::flush;  // Print the result even if the page cannot be written.
    html.write(page_of(recorded, recording, program_name));
    if (!options.json) std::cout << "Timeline: " << html.name() << '\n';
  }
  if (difference && !options.tolerant) return kDiverged;
  return recording.outcome.violation ? kViolation : kOk;
}

namespace {

UsageError unknown_scenario(std::string_view name) {
  const std::string begin = "the replay string names scenario '" + std::string(name) +
                            "', which this program does not have; ";
  if (name.starts_with("program+")) {
    return UsageError(begin + "`run --hunt` printed it: lockstep run --hunt --replay STRING -- " +
                      std::string(name.substr(name.find('+') + 1)));
  }
  return UsageError(begin + "if a test of yours printed it, run that with LOCKSTEP_REPLAY=STRING");
}

}  // namespace

void add_replay(CLI::App& app, CommandLine& line) {
  CLI::App* const command =
      app.add_subcommand("replay", "Runs one execution again from its replay string");
  const auto options = std::make_shared<ReplayOptions>();
  command->add_option("STRING", options->string, "A replay string, or @FILE to read it from a file")
      ->required();
  command->add_option("--html", options->html, "Write the timeline to this file, as HTML")
      ->type_name("FILE");
  command->add_flag("--tolerant", options->tolerant,
                    "Go on with the default schedule where the program has changed");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->footer(
      "Exit status: 1 the violation is reproduced, 0 it is not, 3 the execution differs from\n"
      "the recorded one (not with --tolerant), 2 bad input, 74 a result cannot be written.");
  command->callback([&line, options] {
    line.run = [&line, options] {
      return replay_and_show(*options, line.program, [&line](std::string_view name) {
        const Hunted hunted = hunted_called(name, line.zookeeper);
        if (hunted.scenario) return hunted.lock();
        throw unknown_scenario(name);
      });
    };
  });
}

}  // namespace lockstep::program
