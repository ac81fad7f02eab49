#include "caption.h"

#include "exhaust.h"
#include "hunt.h"
#include "lockstep/fake/replay.h"
#include "text.h"

namespace lockstep::program {

namespace {

std::string faults_in_words(const fakezk::FaultPlan& plan) {
  if (!plan.any()) return "none";
  const std::string kinds = fault_kinds(plan);
  return "at most " + std::to_string(plan.total()) + " of " + (kinds == "all" ? "any kind" : kinds);
}

// What every page of a search says about it.
fakezk::TimelineCaption caption_of(const Search& what, const fakezk::Chronicle& shown) {
  fakezk::TimelineCaption caption;
  caption.title = what.scenario->name;
  caption.facts = {{"Searched", in_words(what.size)},
                   {"Steps shown", grouped(shown.steps)},
                   {"Seed", std::to_string(what.seed)},
                   {"Strategy", std::string(what.strategy->name)},
                   {"Faults", faults_in_words(what.faults)}};
  return caption;
}

fakezk::TimelineCaption caption_of(const Search& what, const fakezk::Found& found,
                                   const fakezk::Failure& failure, const std::string& program) {
  fakezk::TimelineCaption caption = caption_of(what, failure.chronicle);
  caption.facts.emplace_back("Shrunk to", in_words({failure.clients, failure.rounds}));
  caption.facts.emplace_back("Found in execution", grouped(found.execution));
  caption.facts.emplace_back("Deviations from the calm schedule",
                             std::to_string(failure.deviations) + " (" +
                                 std::to_string(failure.original_deviations) +
                                 " before shrinking)");
  caption.snippets = {{"Replay it", replay_command(failure, program), false},
                      {"Hunt again", command_for(what, found, program), false},
                      {"As a regression test (GoogleTest)",
                       regression_test_of(failure, what.scenario->name), true}};
  return caption;
}

fakezk::TimelineCaption caption_of(const Search& what, const Searched& searched,
                                   const fakezk::Chronicle& calm, const std::string& program) {
  fakezk::TimelineCaption caption = caption_of(what, calm);
  caption.headline = "no violation in " + counted(searched.result.executions, "execution");
  caption.facts.emplace_back("Shown", "the calm schedule, without faults");
  Search again = what;
  // As many as time allowed; an exhaustive search begins anew and goes as far as it may.
  if (what.strategy != &exhaustive_strategy()) again.executions = searched.result.executions;
  caption.snippets = {{"Hunt again", command_for(again, program), false}};
  return caption;
}

}  // namespace

std::string regression_test_of(const fakezk::Failure& failure, std::string_view scenario) {
  return fake::regression_test(failure,
                               "lockstep::scenarios::find(\"" + std::string(scenario) + "\")->make",
                               false, "scenarios/registry.h");
}

fakezk::TimelineCaption caption_of(const fakezk::ReplayString& replay,
                                   const fakezk::Recording& recording, const std::string& program) {
  fakezk::TimelineCaption caption;
  caption.title = replay.scenario;
  caption.headline = "this execution breaks nothing";
  caption.facts = {{"Size", in_words({replay.clients, replay.rounds})},
                   {"Steps shown", grouped(recording.chronicle.steps)},
                   {"Faults", faults_in_words(replay.faults)},
                   {"Deviations from the calm schedule", std::to_string(replay.deviations.size())},
                   {"Trace hash", hex(replay.trace_hash)}};
  fakezk::Failure failure;
  failure.replay = replay.text();
  caption.snippets = {{"Replay it", replay_command(failure, program), false}};
  if (recording.outcome.violation) {
    failure.violation = *recording.outcome.violation;
    caption.snippets.push_back(
        {"As a regression test (GoogleTest)", regression_test_of(failure, replay.scenario), true});
  }
  return caption;
}

std::string page_of(const Search& what, const Searched& searched, const fakezk::Failure* failure,
                    const std::string& program) {
  if (failure) {
    return timeline_page(failure->chronicle,
                         caption_of(what, *searched.result.found, *failure, program));
  }
  const std::unique_ptr<fakezk::Program> scenario = what.scenario->make(what.size);
  const fakezk::Recording calm = record(*scenario, limits_of(fakezk::FaultPlan()), {});
  return timeline_page(calm.chronicle, caption_of(what, searched, calm.chronicle, program));
}

}  // namespace lockstep::program
