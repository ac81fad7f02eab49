#include "process/explained.h"

#include <unistd.h>

#include <chrono>
#include <string>
#include <utility>

#include "lockstep/lab/words.h"
#include "lockstep/search/schedule.h"
#include "process/forked_trials.h"
#include "process/words_of.h"

namespace lockstep::lab {

namespace {

constexpr search::ShrinkBudget kBudget = {.executions = 8'000, .steps = 4'500'000};
// The ended process waits meanwhile, or the hunt whose executions are processes.
constexpr std::chrono::seconds kLongestTime(30);
constexpr std::chrono::seconds kLongestTimeOfAHunt(10);

void print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

search::Failure failure_of(const LockUnderTest& lock, search::ShrunkScene shrunk) {
  search::ReplayString replay;
  replay.scenario = lock.name;
  replay.clients = shrunk.clients;
  replay.rounds = shrunk.rounds;
  replay.faults = shrunk.limits.faults;
  replay.deviations = shrunk.schedule.deviations;
  replay.known = false;
  search::Failure failure;
  failure.violation = *std::move(shrunk.schedule.outcome.violation);
  failure.clients = shrunk.clients;
  failure.rounds = shrunk.rounds;
  failure.faults = shrunk.limits.faults;
  failure.steps = failure.violation.step;
  failure.deviations = replay.deviations.size();
  failure.replay = replay.text();
  return failure;
}

std::optional<search::Failure> failure_of_end(const LockUnderTest& lock,
                                              const HuntSettings& settings,
                                              std::string_view replay_by,
                                              const std::vector<fakezk::Deviation>& deviations) {
  ForkedTrials trials(
      [&](ScenarioSize size) {
        return with_last_words(lock.program(size),
                               {lock.name, size, settings.faults, replay_by, nullptr, true});
      },
      lock.in_forks ? Hunts::kInChildren : Hunts::kInOneChild, lock.executions_per_fork,
      lock.in_forks ? kLongestTimeOfAHunt : kLongestTime);
  search::Scene scene{
      lock.name, settings.size.clients, settings.size.rounds,
      [&](std::uint32_t clients, std::uint32_t rounds) { return lock.program({clients, rounds}); }};
  scene.least_clients = lock.least.clients;
  scene.least_rounds = lock.least.rounds;
  scene.trials = &trials;
  search::ShrunkScene shrunk =
      shrink_scene(scene, {.faults = settings.faults}, "crash", deviations, kBudget);
  if (!shrunk.schedule.outcome.violation) return std::nullopt;
  const ScenarioSize size{shrunk.clients, shrunk.rounds};
  search::Chronicle chronicle = trials.chronicle(size, shrunk.limits, shrunk.schedule.deviations,
                                                 shrunk.schedule.outcome.violation->step);
  search::Failure failure = failure_of(lock, std::move(shrunk));
  failure.original_deviations = deviations.size();
  failure.show(std::move(chronicle));
  return failure;
}

void explain_end(const LockUnderTest& lock, const HuntSettings& settings,
                 std::string_view replay_by, const End& end) {
  HuntReport report;
  report.name = lock.name;
  report.lock = lock;
  report.failure = failure_of_end(lock, settings, replay_by, end.deviations);
  if (!report.failure) {
    return print(
        "lockstep: this schedule does not end the process when it is run again, for 5 seconds at "
        "most\n");
  }
  const search::Failure& failure = *report.failure;
  print("\nThe shortest schedule found that ends so: " + counted(failure.steps, "step") + ", " +
        counted(failure.deviations, "deviation") + " from the default schedule, with " +
        in_words(ScenarioSize{failure.clients, failure.rounds}) + ":\n\n" + failure.lanes +
        "\nIts replay string:\n\n  " + std::string(replay_by) + failure.replay +
        "\n\nAs a regression test:\n\n" + report.regression_test());
}

}  // namespace lockstep::lab
