#include "search.h"

#include <algorithm>
#include <thread>

#include "interruption.h"
#include "progress.h"
#include "scenarios/last_words.h"

namespace lockstep::program {

lab::HuntReport search(const HuntCommand& what, bool show_progress,
                       search::Checkpoint* checkpoint) {
  Progress progress(show_progress, what.settings.most_executions(), what.settings.seconds);
  lab::HuntWatch watch;
  watch.progress = [&progress](std::uint64_t done) { progress.update(done); };
  watch.estimate = [&progress](const search::ExhaustiveEstimate& how_far) {
    progress.update(how_far);
  };
  watch.checkpoint = checkpoint;
  watch.interrupted = [] { return interrupted_by() != 0; };
  watch.replay_by = scenarios::kReplayBy;
  return lab::hunt_lock(what.lock(), what.settings, watch);
}

std::uint32_t jobs_for_all_processors() {
  return std::clamp<std::uint32_t>(std::thread::hardware_concurrency(), 1, kMostUsualJobs);
}

// A program that was not compiled for a hunt reports no grants, but its znodes show S1.
std::string verdict_of(const HuntCommand& what, const search::Judgements& judged) {
  if (!what.target) return judged.verdict();
  if (judged.of(search::Oracle::kMisuse) == 0) return "no violation, but NO session was opened";
  const bool idle = what.target_has_lock && !judged.covers_exclusion();
  return idle ? "no violation, the queue of --lock NOT judged" : "no violation";
}

double executions_per_second(const lab::HuntReport& report) {
  return static_cast<double>(report.executions) / report.seconds;
}

}  // namespace lockstep::program
