#include "lockstep/search/hunt.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "lockstep/search/searched_execution.h"
#include "repeat.h"

namespace lockstep::search {

namespace {

// Initial-exec, so that a signal handler may read it.
[[gnu::tls_model("initial-exec")]] constinit thread_local std::uint64_t searched = kNoExecution;

// How many executions a job runs before it hands over their sums and looks at the time again.
constexpr std::uint64_t kBlock = 8;
// How many executions are between two calls of HuntOptions::keep_going; whole blocks.
constexpr std::uint64_t kBetweenCalls = 1024;

// Consecutive executions for one job, and what it found: the sums up to the first violation.
struct Block {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::uint64_t executions = 0;
  std::uint64_t steps = 0;
  std::uint64_t trace_hash = 0;
  Judgements judged = {};
  std::optional<Found> found = {};
};

// Deals the executions to the jobs block by block, and merges the blocks in the order of the
// indices: executions after the first violation do not count. No job waits for another: if one is
// slow, later blocks are kept until it hands over its own.
class BlockDealer {
 public:
  explicit BlockDealer(const HuntOptions& options)
      : options_(options),
        next_(options.first),
        merged_(options.first),
        end_(options.first + options.executions) {}

  // nullopt once the hunt is stopped or everything has been dealt.
  std::optional<Block> next();
  void finish(Block block);
  // Stops dealing blocks; those that have been dealt still count.
  void stop();
  // Call it when all jobs have finished.
  HuntResult result();

 private:
  void merge(Block& block);

  const HuntOptions& options_;
  std::mutex mutex_;
  std::uint64_t next_;                       // The first index that has not been dealt.
  std::uint64_t merged_;                     // The first index that has not been merged.
  std::uint64_t end_;                        // After the last index to be dealt.
  bool over_ = false;                        // No further block counts.
  std::map<std::uint64_t, Block> finished_;  // By their first index, if earlier ones are missing.
  HuntResult result_;
};

std::optional<Block> BlockDealer::next() {
  const std::lock_guard lock(mutex_);
  if (next_ >= end_) return std::nullopt;
  Block block = {next_, std::min(end_ - next_, kBlock - next_ % kBlock)};
  next_ += block.count;
  return block;
}

void BlockDealer::finish(Block block) {
  const std::lock_guard lock(mutex_);
  if (block.found) end_ = next_;
  finished_.emplace(block.first, std::move(block));
  while (!over_ && !finished_.empty() && finished_.begin()->first == merged_) {
    merge(finished_.begin()->second);
    finished_.erase(finished_.begin());
  }
}

// keep_going is called at the same indices for all parts of a hunt, wherever they begin.
void BlockDealer::merge(Block& block) {
  merged_ += block.count;
  result_.executions += block.executions;
  result_.steps += block.steps;
  result_.trace_hash += block.trace_hash;
  result_.judged += block.judged;
  result_.found = std::move(block.found);
  over_ = result_.found.has_value();
  if (over_ || result_.executions == options_.executions || merged_ % kBetweenCalls != 0) return;
  if (!options_.keep_going || options_.keep_going(result_.executions)) return;
  over_ = true;
  end_ = next_;
}

void BlockDealer::stop() {
  const std::lock_guard lock(mutex_);
  end_ = next_;
}

HuntResult BlockDealer::result() {
  using StoppedBy = HuntResult::StoppedBy;
  const bool complete = result_.executions == options_.executions;
  result_.stopped_by = complete ? StoppedBy::kCount : StoppedBy::kTime;
  if (result_.found) result_.stopped_by = StoppedBy::kViolation;
  return std::move(result_);
}

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

// Runs the next execution of the block.
void search(Searcher& searcher, CoverageTracer* coverage, Block& block) {
  const std::uint64_t index = block.first + block.executions++;
  Outcome outcome = searcher.run(index, coverage);
  if (coverage) coverage->ended(outcome);
  std::optional<Violation> divergence;
  if (is_repeated(index)) {
    const auto again = [&](fakezk::Tracer* tracer) { return searcher.run(index, tracer); };
    divergence = find_nondeterminism(searcher.world(), outcome, again);
  }
  if (!divergence && index == 0 && outcome.trace_hash != searcher.calm_run().trace_hash) {
    divergence = remembers_executions();
  }
  block.steps += outcome.steps;
  block.judged += outcome.judged;
  block.trace_hash += hash_of(index, outcome);
  const bool nondeterministic = divergence.has_value();
  if (divergence) outcome.violation = std::move(divergence);
  if (!outcome.violation) return;
  block.found = Found{index, std::move(outcome), searcher.deviations(), nondeterministic};
}

struct StopsDealing {
  ~StopsDealing() { dealer.stop(); }
  BlockDealer& dealer;
};

// The work of one job. Once it ends, even by an exception, no job begins another block.
void search_blocks(const HuntOptions& options, BlockDealer& dealer, Searcher& searcher,
                   CoverageTracer* coverage) {
  const StopsDealing at_end{dealer};
  while (std::optional<Block> block = dealer.next()) {
    while (block->executions < block->count && !block->found) search(searcher, coverage, *block);
    dealer.finish(std::move(*block));
    if (options.time_is_up && options.time_is_up()) return;
  }
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
    : Searcher(std::move(program), std::move(strategy), limits, seed, CalmRun()) {
  EventCounts counts(calm_run_.events);
  const Outcome calm = execute(world_, *program_, calm_, limits_, &counts);
  calm_run_.positions = calm.positions;
  calm_run_.trace_hash = calm.trace_hash;
}

Searcher::Searcher(std::unique_ptr<Program> program, std::unique_ptr<Strategy> strategy,
                   const ExecutionLimits& limits, std::uint64_t seed, CalmRun calm_run)
    : world_(program->servers()),
      program_(std::move(program)),
      strategy_(std::move(strategy)),
      limits_(limits),
      seed_(seed),
      kinds_(limits_.faults.kinds() & ~impossible_faults(*program_)),
      calm_run_(std::move(calm_run)) {}

std::uint64_t hash_of(std::uint64_t index, const Outcome& outcome) {
  return fakezk::mix(outcome.trace_hash ^ fakezk::mix(index + 1));
}

const std::uint64_t& searched_execution() noexcept { return searched; }

Outcome Searcher::run(std::uint64_t index, fakezk::Tracer* tracer) {
  searched = index;
  if (index == 0) return execute(world_, *program_, calm_, limits_, tracer);
  const std::uint64_t seed = fakezk::mix(fakezk::mix(seed_) + index);
  strategy_->begin(
      ExecutionStart{seed, calm_run_.positions, calm_run_.events, limits_.faults.total(), kinds_});
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
  BlockDealer dealer(options);
  workers.each(options.jobs, [&](std::uint32_t job) {
    search_blocks(options, dealer, *searchers[job], tracers.empty() ? nullptr : &tracers[job]);
  });
  HuntResult result = dealer.result();
  if (options.measure_coverage) result.coverage.emplace();
  for (const CoverageTracer& tracer : tracers) result.coverage->add(tracer.coverage());
  return result;
}

}  // namespace lockstep::search
