#include "lockstep/lab/replay.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "lockstep/internal/check.h"
#include "lockstep/lab/hunt.h"
#include "lockstep/lab/last_words.h"

namespace lockstep::lab {

namespace {

constexpr std::size_t kLiteralLength = 84;

// The name of the generated test says what it claims: KeepsS1, HasNoLivelock.
std::string test_name(std::string_view oracle) {
  const bool is_guarantee = oracle.size() == 2;
  if (is_guarantee) return "Keeps" + std::string(oracle);
  if (oracle.starts_with("user:")) return "Keeps" + class_name(oracle.substr(5));
  return "HasNo" + class_name(oracle);
}

// A string literal, split over several lines.
std::string literal(std::string_view text, std::string_view indent) {
  std::string code;
  for (bool first = true; first || !text.empty(); first = false) {
    if (!first) code += '\n';
    code += std::string(indent) + '"';
    for (const char byte : text.substr(0, kLiteralLength)) {
      if (byte == '"' || byte == '\\') code += '\\';
      code += byte;
    }
    code += '"';
    text.remove_prefix(text.size() < kLiteralLength ? text.size() : kLiteralLength);
  }
  return code;
}

// The first line without a backslash at its end: the comment must not continue into the code.
std::string first_line(std::string_view text) {
  std::string line(text.substr(0, text.find('\n')));
  if (line.ends_with('\\')) line += '.';
  return line;
}

}  // namespace

ReplayReport replay(std::string_view string,
                    const std::function<std::unique_ptr<search::Program>(ScenarioSize)>& make) {
  ReplayReport report;
  search::ReplayString parsed;
  report.error = search::ReplayString::parse(string, parsed);
  if (!report.error.empty()) return report;
  report.scenario = parsed.scenario;
  report.was_recorded = parsed.known;
  const ScenarioSize size{parsed.clients, parsed.rounds};
  if (!possible(size)) {
    report.error = "the replay string is corrupt at its size";
    return report;
  }
  const std::unique_ptr<search::Program> program =
      with_last_words(make(size), parsed.scenario, size, parsed.faults);
  search::ExecutionLimits limits{.faults = parsed.faults};
  search::Recording recording = record(*program, limits, parsed.deviations);
  report.as_recorded = recording.outcome.trace_hash == parsed.trace_hash;
  search::ReplayString now = parsed;
  now.keep(std::move(recording.checks));
  if (parsed.known && report.as_recorded && now != parsed) {
    report.error = "the replay string is corrupt at its checks";
    return report;
  }
  if (parsed.known && !report.as_recorded) report.first_difference = parsed.first_difference(now);
  report.violation = std::move(recording.outcome.violation);
  report.chronicle = std::move(recording.chronicle);
  return report;
}

ReplayReport replay_lock(std::string_view string, Contend contend) {
  const LockUnderTest lock("", std::move(contend));
  return replay(string,
                [&lock](ScenarioSize size) { return std::make_unique<LockScenario>(lock, size); });
}

ReplayReport replay_lock(std::string_view string, const LockUnderTest& lock) {
  search::ReplayString parsed;
  const std::string unreadable = search::ReplayString::parse(string, parsed);
  if (unreadable.empty() && parsed.scenario != lock.name) {
    ReplayReport report;
    report.error =
        "the replay string belongs to '" + parsed.scenario + "', not to '" + lock.name + "'";
    return report;
  }
  return replay(string, [&lock](ScenarioSize size) { return lock.program(size); });
}

ReplayReport run_schedule(const LockUnderTest& lock, ScenarioSize size,
                          const fakezk::FaultPlan& faults,
                          const std::vector<fakezk::Deviation>& deviations) {
  const bool sorted = std::ranges::adjacent_find(deviations, std::ranges::greater_equal(),
                                                 &fakezk::Deviation::position) == deviations.end();
  internal::check(sorted, "the deviations of a schedule are sorted, one for each position");
  ReplayReport report;
  report.scenario = lock.name;
  report.was_recorded = false;
  const std::unique_ptr<search::Program> program =
      with_last_words(lock.program(size), lock.name, size, faults);
  search::ExecutionLimits limits{.faults = faults};
  search::Recording recording = record(*program, limits, deviations);
  report.violation = std::move(recording.outcome.violation);
  report.chronicle = std::move(recording.chronicle);
  return report;
}

std::string ReplayReport::text() const {
  if (!error.empty()) return error + '\n';
  std::string how = "in this schedule";
  if (was_recorded) {
    how = as_recorded ? "replayed as recorded"
                      : "replayed, but not as recorded: the program has changed since";
  }
  if (first_difference) {
    how += ", and step " + std::to_string(*first_difference) + " is the first one that differs";
  }
  std::string text = scenario + ", " + how + ", ";
  if (violation) {
    text += std::string(search::breaks(violation->oracle)) + ' ' + violation->oracle + " (" +
            std::string(search::facts(violation->oracle).brief) + ") in step " +
            std::to_string(violation->step) + ":\n" + violation->message;
  } else {
    text += "breaks nothing.";
  }
  return text + "\n\n" + draw_lanes(chronicle);
}

std::string regression_test(const search::Failure& failure, std::string_view replayed, bool is_lock,
                            std::string_view include, std::string_view note) {
  const search::Violation& violation = failure.violation;
  const std::size_t name_begins = failure.replay.find('/') + 1;
  const std::string scenario =
      failure.replay.substr(name_begins, failure.replay.find('/', name_begins) - name_begins);
  std::string code = "#include <gtest/gtest.h>\n\n#include \"lockstep/lab/replay.h\"\n";
  code += include.empty() ? "// Include the header of your lock here (LockUnderTest::include).\n"
                          : "#include \"" + std::string(include) + "\"\n";
  code += "\n// It " + std::string(search::breaks(violation.oracle)) + ' ' + violation.oracle +
          " (" + std::string(search::facts(violation.oracle).brief) + ") in step " +
          std::to_string(violation.step) + ":\n// " + first_line(violation.message) + '\n';
  if (!note.empty()) code += std::string(note) + '\n';
  code += "TEST(" + class_name(scenario) + "Test, " + test_name(violation.oracle) + ") {\n";
  code += std::string("  const lockstep::lab::ReplayReport report = lockstep::lab::") +
          (is_lock ? "replay_lock(\n" : "replay(\n");
  code += literal(failure.replay, "      ") + ",\n      " + std::string(replayed) + ");\n";
  return code + "  EXPECT_TRUE(report.passed()) << report.text();\n}\n";
}

}  // namespace lockstep::lab
