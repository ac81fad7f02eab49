#include "caption.h"

#include "hunt.h"
#include "lockstep/lab/replay.h"
#include "text.h"

namespace lockstep::program {

namespace {

std::string faults_in_words(const fakezk::FaultPlan& plan) {
  if (!plan.any()) return "none";
  const std::string kinds = fault_kinds(plan);
  return "at most " + std::to_string(plan.total()) + " of " + (kinds == "all" ? "any kind" : kinds);
}

// The facts shown on every page of a search.
search::TimelineCaption caption_of_search(const HuntCommand& what, const search::Chronicle& shown) {
  search::TimelineCaption caption;
  caption.title = what.scenario->name;
  caption.facts = {{"Searched", in_words(what.settings.size)},
                   {"Steps shown", grouped(shown.steps)},
                   {"Seed", std::to_string(what.settings.seed)},
                   {"Strategy", what.settings.strategy},
                   {"Faults", faults_in_words(what.settings.faults)}};
  return caption;
}

search::TimelineCaption caption_of_failure(const HuntCommand& what, const lab::HuntReport& report,
                                           const std::string& program) {
  const search::Failure& failure = *report.failure;
  search::TimelineCaption caption = caption_of_search(what, failure.chronicle);
  caption.facts.emplace_back("Shrunk to", in_words({failure.clients, failure.rounds}));
  caption.facts.emplace_back("Found in execution", grouped(report.failed_execution));
  caption.facts.emplace_back("Deviations from the default schedule",
                             std::to_string(failure.deviations) + " (" +
                                 std::to_string(failure.original_deviations) +
                                 " before shrinking)");
  caption.snippets = {{"Replay it", replay_command(what, failure, program), false},
                      {"Hunt again", command_up_to_failure(what, report, program), false}};
  if (what.target) return caption;
  caption.snippets.push_back(
      {"As a regression test (GoogleTest)",
       regression_test_of(failure, Hunted{what.scenario, what.backend}.name()), true});
  return caption;
}

search::TimelineCaption caption_of_success(const HuntCommand& what, const lab::HuntReport& report,
                                           const search::Chronicle& calm,
                                           const std::string& program) {
  search::TimelineCaption caption = caption_of_search(what, calm);
  caption.headline =
      verdict_of(what, report.judged) + " in " + counted(report.executions, "execution");
  caption.facts.emplace_back("Shown", "the default schedule, without faults");
  HuntCommand again = what;
  // Repeats the executions that fit in the time; an exhaustive search starts over instead.
  if (!what.settings.is_exhaustive()) again.settings.executions = report.executions;
  caption.snippets = {{"Hunt again", command_for(again, program), false}};
  return caption;
}

}  // namespace

std::string regression_test_of(const search::Failure& failure, std::string_view scenario) {
  const bool on_zookeeper = scenario.ends_with(Hunted::kZookeeper);
  if (on_zookeeper) scenario.remove_suffix(Hunted::kZookeeper.size());
  std::string code = "lockstep::scenarios::find(\"" + std::string(scenario) + "\")->lock()";
  if (on_zookeeper) code = "lockstep::hunted::on_zookeeper(" + code + ")";
  return lab::regression_test(failure, code, true, "scenarios/registry.h",
                              on_zookeeper ? "// Also #include \"on_zookeeper.h\"." : "");
}

search::TimelineCaption caption_of(const search::ReplayString& replay,
                                   const search::Recording& recording, const std::string& program) {
  search::TimelineCaption caption;
  caption.title = replay.scenario;
  caption.headline = "this execution breaks nothing";
  caption.facts = {
      {"Size", in_words({replay.clients, replay.rounds})},
      {"Steps shown", grouped(recording.chronicle.steps)},
      {"Faults", faults_in_words(replay.faults)},
      {"Deviations from the default schedule", std::to_string(replay.deviations.size())},
      {"Trace hash", hex(replay.trace_hash)}};
  search::Failure failure;
  failure.replay = replay.text();
  caption.snippets = {{"Replay it", replay_command(failure, program), false}};
  if (recording.outcome.violation) {
    failure.violation = *recording.outcome.violation;
    caption.snippets.push_back(
        {"As a regression test (GoogleTest)", regression_test_of(failure, replay.scenario), true});
  }
  return caption;
}

std::string page_of(const HuntCommand& what, const lab::HuntReport& report,
                    const std::string& program) {
  if (report.failure) {
    return timeline_page(report.failure->chronicle, caption_of_failure(what, report, program));
  }
  const std::unique_ptr<search::Program> scenario = what.lock().program(what.settings.size);
  const search::Recording calm = record(*scenario, search::ExecutionLimits(), {});
  return timeline_page(calm.chronicle, caption_of_success(what, report, calm.chronicle, program));
}

}  // namespace lockstep::program
