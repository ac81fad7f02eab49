#include "lockstep/search/hunt.h"

#include <algorithm>
#include <deque>

#include "repeat.h"

namespace lockstep::search {

namespace {

constexpr std::uint64_t kEpoch = 1024;
// How many executions a worker makes before it looks at the time again.
constexpr std::uint64_t kBetweenLooks = 8;

struct Slot {
  Outcome outcome;
  std::vector<fakezk::Deviation> deviations;  // Only set for a violating execution.
  bool nondeterministic = false;
  bool done = false;
};

// Counts the events of each source.
class EventCounts final : public fakezk::Tracer {
 public:
  explicit EventCounts(std::vector<std::uint32_t>& counts) : counts_(counts) {}
  void step(const fakezk::Step& step) override {
    const std::uint32_t source = source_of(step.event);
    if (source >= counts_.size()) counts_.resize(source + 1, 0);
    ++counts_[source];
  }
  void note(std::uint32_t, std::string_view) override {}

 private:
  std::vector<std::uint32_t>& counts_;
};

// Merges one epoch in order; true if the hunt is over.
bool merge(std::vector<Slot>& slots, std::uint64_t first, std::uint64_t count, HuntResult& result) {
  for (std::uint64_t i = 0; i < count; ++i) {
    Slot& slot = slots[i];
    const std::uint64_t index = first + i;
    if (!slot.done) {
      result.stopped_by = HuntResult::StoppedBy::kTime;
      return true;
    }
    ++result.executions;
    result.steps += slot.outcome.steps;
    result.trace_hash += fakezk::mix(slot.outcome.trace_hash ^ fakezk::mix(index + 1));
    if (!slot.outcome.violation) continue;
    result.found =
        Found{index, std::move(slot.outcome), std::move(slot.deviations), slot.nondeterministic};
    result.stopped_by = HuntResult::StoppedBy::kViolation;
    return true;
  }
  return false;
}

void search(Searcher& searcher, CoverageTracer* coverage, std::uint64_t index, Slot& slot) {
  slot.outcome = searcher.run(index, coverage);
  if (coverage) coverage->ended(slot.outcome);
  slot.nondeterministic = false;
  slot.done = true;
  std::optional<Violation> parted;
  if (is_repeated(index)) {
    const auto again = [&](fakezk::Tracer* tracer) { return searcher.run(index, tracer); };
    parted = find_nondeterminism(searcher.world(), slot.outcome, again);
  }
  if (!parted && index == 0 && slot.outcome.trace_hash != searcher.calm_hash()) {
    parted = remembers_executions();
  }
  slot.nondeterministic = parted.has_value();
  if (parted) slot.outcome.violation = std::move(parted);
  if (slot.outcome.violation) slot.deviations = searcher.deviations();
}

HuntResult run_epochs(const HuntOptions& options, Workers& workers,
                      std::vector<std::unique_ptr<Searcher>>& searchers,
                      std::deque<CoverageTracer>& tracers) {
  HuntResult result;
  std::vector<Slot> slots(kEpoch);
  while (result.executions < options.executions) {
    const std::uint64_t first = options.first + result.executions;
    // An epoch ends where it would end if the hunt had begun at 0, so that parts of a hunt on
    // several machines agree.
    const std::uint64_t count =
        std::min(options.executions - result.executions, kEpoch - first % kEpoch);
    for (Slot& slot : slots) slot.done = false;
    workers.each(options.jobs, [&](std::uint32_t job) {
      std::uint64_t searched = 0;
      for (std::uint64_t i = job; i < count; i += options.jobs) {
        const bool looks = searched > 0 && searched % kBetweenLooks == 0;
        if (looks && options.time_is_up && options.time_is_up()) return;
        ++searched;
        search(*searchers[job], tracers.empty() ? nullptr : &tracers[job], first + i, slots[i]);
        if (slots[i].outcome.violation)
          return;  // Later executions of this worker cannot be the first to violate.
      }
    });
    if (merge(slots, first, count, result)) return result;
    if (result.executions == options.executions) break;
    if (options.keep_going && !options.keep_going(result.executions)) {
      result.stopped_by = HuntResult::StoppedBy::kTime;
      return result;
    }
  }
  return result;
}

}  // namespace

fakezk::FaultKinds impossible_faults(Program& program) {
  fakezk::FaultKinds impossible = 0;
  if (program.servers().replicas == 1) impossible |= faults_that_need(fakezk::FaultNeed::kReplicas);
  if (!program.restarter()) impossible |= faults_that_need(fakezk::FaultNeed::kRestarter);
  return impossible;
}

Searcher::Searcher(std::unique_ptr<Program> program, std::unique_ptr<Strategy> strategy,
                   const ExecutionLimits& limits, std::uint64_t seed)
    : world_(program->servers()),
      program_(std::move(program)),
      strategy_(std::move(strategy)),
      limits_(limits),
      seed_(seed) {
  kinds_ = limits_.faults.kinds() & ~impossible_faults(*program_);
  EventCounts counts(calm_events_);
  const Outcome calm = execute(world_, *program_, calm_, limits_, &counts);
  calm_positions_ = calm.positions;
  calm_hash_ = calm.trace_hash;
}

Outcome Searcher::run(std::uint64_t index, fakezk::Tracer* tracer) {
  if (index == 0) return execute(world_, *program_, calm_, limits_, tracer);
  const std::uint64_t seed = fakezk::mix(fakezk::mix(seed_) + index);
  strategy_->begin(
      ExecutionStart{seed, calm_positions_, calm_events_, limits_.faults.total(), kinds_});
  return execute(world_, *program_, *strategy_, limits_, tracer);
}

void OneByOne::each(std::uint32_t count, const std::function<void(std::uint32_t)>& work) {
  for (std::uint32_t i = 0; i < count; ++i) work(i);
}

HuntResult hunt(const HuntOptions& options, Workers& workers) {
  std::vector<std::unique_ptr<Searcher>> searchers;
  searchers.reserve(options.jobs);
  for (std::uint32_t job = 0; job < options.jobs; ++job) {
    searchers.push_back(std::make_unique<Searcher>(options.make_program(), options.make_strategy(),
                                                   options.limits, options.seed));
  }
  std::deque<CoverageTracer> tracers;
  for (const auto& searcher : searchers) {
    if (options.measure_coverage) tracers.emplace_back(searcher->world());
  }
  HuntResult result = run_epochs(options, workers, searchers, tracers);
  if (options.measure_coverage) result.coverage.emplace();
  for (const CoverageTracer& tracer : tracers) result.coverage->add(tracer.coverage());
  return result;
}

}  // namespace lockstep::search
