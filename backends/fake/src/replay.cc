#include "lockstep/fake/replay.h"

#include <cstddef>

namespace lockstep::fake {

namespace {

constexpr std::size_t kLiteralLength = 84;

bool is_letter_or_digit(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9');
}

char upper(char byte) {
  return byte >= 'a' && byte <= 'z' ? static_cast<char>(byte - 'a' + 'A') : byte;
}

// What the test claims: KeepsS1, HasNoLivelock.
std::string test_name(std::string_view oracle) {
  const bool is_guarantee = oracle.size() == 2;
  if (is_guarantee) return "Keeps" + std::string(oracle);
  if (oracle.starts_with("user:")) return "Keeps" + class_name(oracle.substr(5));
  return "HasNo" + class_name(oracle);
}

// A string literal on as many lines as it takes.
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

// The first line only: a comment must not spill into the code.
std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace

std::string class_name(std::string_view scenario) {
  std::string name;
  bool begins_word = true;
  for (const char byte : scenario) {
    if (!is_letter_or_digit(byte)) {
      begins_word = true;
      continue;
    }
    name += begins_word ? upper(byte) : byte;
    begins_word = false;
  }
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) name.insert(0, "Lock");
  return name;
}

ReplayReport replay(std::string_view string,
                    const std::function<std::unique_ptr<fakezk::Program>(ScenarioSize)>& make) {
  ReplayReport report;
  fakezk::ReplayString parsed;
  report.error = fakezk::ReplayString::parse(string, parsed);
  if (!report.error.empty()) return report;
  report.scenario = parsed.scenario;
  const std::unique_ptr<fakezk::Program> program = make({parsed.clients, parsed.rounds});
  fakezk::ExecutionLimits limits;
  limits.faults = parsed.faults;
  fakezk::Recording recording = record(*program, limits, parsed.deviations);
  report.as_recorded = recording.outcome.trace_hash == parsed.trace_hash;
  report.violation = std::move(recording.outcome.violation);
  report.chronicle = std::move(recording.chronicle);
  return report;
}

ReplayReport replay_lock(std::string_view string, LockScenario::Contend contend) {
  return replay_lock(string, LockUnderTest("", contend));
}

ReplayReport replay_lock(std::string_view string, const LockUnderTest& lock) {
  return replay(string, [&lock](ScenarioSize size) { return lock.program(size); });
}

ReplayReport run_schedule(const LockUnderTest& lock, ScenarioSize size,
                          const fakezk::FaultPlan& faults,
                          const std::vector<fakezk::Deviation>& deviations) {
  ReplayReport report;
  report.scenario = lock.name;
  report.was_recorded = false;
  const std::unique_ptr<fakezk::Program> program = lock.program(size);
  fakezk::ExecutionLimits limits;
  limits.faults = faults;
  fakezk::Recording recording = record(*program, limits, deviations);
  report.violation = std::move(recording.outcome.violation);
  report.chronicle = std::move(recording.chronicle);
  return report;
}

std::string ReplayReport::text() const {
  if (!error.empty()) return error + '\n';
  std::string how = "in this schedule";
  if (was_recorded) {
    how = as_recorded ? "replayed as recorded"
                      : "replayed otherwise than recorded: the program has changed since";
  }
  std::string text = scenario + ", " + how + ", ";
  if (violation) {
    text += "breaks " + violation->oracle + " (" +
            std::string(fakezk::guarantee(violation->oracle)) + ") in step " +
            std::to_string(violation->step) + ":\n" + violation->message;
  } else {
    text += "breaks nothing.";
  }
  return text + "\n\n" + draw_lanes(chronicle);
}

std::string regression_test(const fakezk::Failure& failure, std::string_view replayed, bool is_lock,
                            std::string_view include) {
  const fakezk::Violation& violation = failure.violation;
  const std::size_t name_begins = failure.replay.find('/') + 1;
  const std::string scenario =
      failure.replay.substr(name_begins, failure.replay.find('/', name_begins) - name_begins);
  std::string code = "#include <gtest/gtest.h>\n\n#include \"lockstep/fake/replay.h\"\n";
  if (!include.empty()) code += "#include \"" + std::string(include) + "\"\n";
  code += "\n// It broke " + violation.oracle + " (" +
          std::string(fakezk::guarantee(violation.oracle)) + ") in step " +
          std::to_string(violation.step) + ":\n// " + first_line(violation.message) + '\n';
  code += "TEST(" + class_name(scenario) + "Test, " + test_name(violation.oracle) + ") {\n";
  code += std::string("  const lockstep::fake::ReplayReport report = lockstep::fake::") +
          (is_lock ? "replay_lock(\n" : "replay(\n");
  code += literal(failure.replay, "      ") + ",\n      " + std::string(replayed) + ");\n";
  return code + "  EXPECT_TRUE(report.passed()) << report.text();\n}\n";
}

}  // namespace lockstep::fake
