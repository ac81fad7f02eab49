#include <string>
#include <string_view>

#include "lockstep/lab/hunt.h"
#include "lockstep/lab/replay.h"
#include "lockstep/lab/words.h"
#include "lockstep/search/timeline.h"

namespace lockstep::lab {

namespace {

std::string where_it_stopped(const HuntReport& report) {
  const std::uint32_t finished = report.exhaustive->budgets_finished;
  std::string text = "; stopped by " + std::string(name(report.stopped_by)) +
                     " within fault budget " +
                     std::to_string(report.exhaustive->fault_budget_reached) + " of " +
                     std::to_string(report.faults.total());
  if (finished == 0) return text + ", no fault budget is exhausted";
  if (finished == 1) return text + ", fault budget 0 is exhausted";
  return text + ", fault budgets 0 to " + std::to_string(finished - 1) + " are exhausted";
}

std::string what_was_cut_short(const search::ExhaustiveResult& result) {
  if (result.cut == 0) return "";
  return "; " + counted(result.cut, "execution") + " cut short: " + after_the_cut(result);
}

// The sessions are connected and the lock's parent exists before the first step.
std::string what_was_judged(const HuntReport& report) {
  const std::string_view idle = report.steps == 0 ? "No contender has sent a request.\n" : "";
  return std::string(idle) + report.judged.text() + '\n';
}

std::string what_cannot_strike(const HuntReport& report) {
  if (report.impossible_faults == 0) return "";
  return "Cannot strike: " + describe_impossible(report.impossible_faults) + ".\n";
}

// How a test can let an exhaustive search go on where this one stopped.
std::string way_on(StoppedBy reason) {
  switch (reason) {
    case StoppedBy::kTime:
      return "LOCKSTEP_SECONDS or HuntSettings::seconds gives the search more time.\n";
    case StoppedBy::kCount:
      return "LOCKSTEP_EXECUTIONS or HuntSettings::executions allows more executions; without it"
             " the search goes on to its end.\n";
    default: return "";
  }
}

// ": 12 steps with 2 clients, 1 round each (found with 3 clients, 2 rounds each, after 65 steps)".
std::string how_it_was_shrunk(const HuntReport& report) {
  const search::Failure& failure = *report.failure;
  const ScenarioSize size{failure.clients, failure.rounds};
  std::string text = ": " + counted(failure.steps, "step") + " with " + in_words(size);
  const bool is_smaller = size.clients < report.size.clients || size.rounds < report.size.rounds;
  const bool is_shorter = failure.original_steps > failure.steps;
  if (!is_smaller && !is_shorter) return text;
  text += " (found with " + in_words(report.size);
  if (is_shorter) text += ", after " + counted(failure.original_steps, "step");
  return text + ')';
}

}  // namespace

std::string_view name(StoppedBy reason) {
  switch (reason) {
    case StoppedBy::kCount: return "count";
    case StoppedBy::kViolation: return "violation";
    case StoppedBy::kTime: return "time";
    case StoppedBy::kInterruption: return "interrupt";
    case StoppedBy::kExhaustion: return "exhaustion";
    case StoppedBy::kDepth: return "depth";
    case StoppedBy::kDependence: return "dependence";
  }
  return "";
}

std::string HuntReport::text() const {
  const std::string reached = coverage ? coverage->text() : std::string();
  if (!failure && exhaustive) {
    const bool proves = exhaustive->independence_violated.empty();
    return name + ": " + verdict() + ".\n" + (proves ? what_was_judged(*this) : "") +
           way_on(stopped_by);
  }
  if (!failure) {
    return name + ": " + judged.verdict() + " in " + std::to_string(executions) + " executions\n" +
           what_was_judged(*this) + what_cannot_strike(*this) + reached;
  }
  const search::Violation& violation = failure->violation;
  return name + ' ' + std::string(search::breaks(violation.oracle)) + ' ' + violation.oracle +
         " in execution " + std::to_string(failed_execution) +
         (exhaustive ? "" : " of seed " + std::to_string(seed)) + ".\n" +
         std::string(search::facts(violation.oracle).sentence) + " But:\n" + violation.message +
         "\n\nThe shortest schedule that shows it" + how_it_was_shrunk(*this) + ":\n\n" +
         failure->lanes + "\nIts replay string:\n\n" + failure->replay +
         "\n\nAs a regression test:\n\n" + regression_test() + reached;
}

std::string HuntReport::verdict() const {
  if (!exhaustive) return {};
  if (!exhaustive->independence_violated.empty()) {
    return "independence violated: " + exhaustive->independence_violated +
           ". The search has proved nothing; please report this";
  }
  const std::string traces = counted(exhaustive->traces, "trace");
  const std::string cannot_strike =
      impossible_faults == 0 ? "" : describe_impossible(impossible_faults) + " cannot strike; ";
  const std::string circumstances = ", " + judged.verdict() + " (" + in_words(size) + "; " +
                                    describe_faults(faults) + "; " + cannot_strike +
                                    search::not_judged() + " are not judged in this mode)";
  if (exhaustive->exhausted) {
    return "exhausted: " + traces + " at fault budget " + std::to_string(faults.total()) +
           circumstances;
  }
  return "NOT exhausted: " + traces + circumstances + where_it_stopped(*this) +
         what_was_cut_short(*exhaustive);
}

std::string HuntReport::regression_test(std::string_view mutex) const {
  if (!failure) return {};
  const LockSource source = source_of(*lock, mutex);
  return lab::regression_test(*failure, source.code, true, source.include, source.note);
}

std::string HuntReport::html() const {
  if (!failure) return {};
  search::TimelineCaption caption;
  caption.title = name;
  caption.facts = {{"Found in execution", std::to_string(failed_execution)},
                   {"Seed", std::to_string(seed)},
                   {"Steps", std::to_string(failure->steps)},
                   {"Deviations from the default schedule", std::to_string(failure->deviations)}};
  caption.snippets = {{"Its replay string", failure->replay, false},
                      {"As a regression test", regression_test(), true}};
  return timeline_page(failure->chronicle, caption);
}

}  // namespace lockstep::lab
