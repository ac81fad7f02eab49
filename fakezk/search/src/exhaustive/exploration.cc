#include "exhaustive/exploration.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "lockstep/search/hunt.h"
#include "repeat.h"

namespace lockstep::search {

namespace {

// How often to ask the caller whether to go on, and to try a pair of steps in both orders.
constexpr std::uint64_t kAskEvery = 256;
constexpr std::uint64_t kCheckEvery = 128;

// If the first execution, which has no faults, has n steps, schedules branch in the first kLonger *
// n + kLongest: a longer execution most likely never ends.
constexpr std::uint32_t kLonger = 8;
constexpr std::uint32_t kLongest = 256;

// Small searches check their claims as well: at 1, 2, 4, 8, ... executions and then regularly.
bool is_time_to_check(std::uint64_t executions) {
  return std::has_single_bit(executions) || executions % kCheckEvery == 0;
}

}  // namespace

Exploration::Exploration(fakezk::World& world, Program& program, const ExhaustiveOptions& options,
                         const ExecutionLimits& limits, FaultsToHappen faults, Tally& tally)
    : world_(world),
      program_(program),
      options_(options),
      limits_(limits),
      tally_(tally),
      frontier_(world, trace_, options.reduction, std::move(faults)),
      self_check_(world, program, limits, recorder_, trace_, frontier_),
      received_(world) {
  for (const fakezk::ObjectKind kind : options.left_out) recorder_.leave_out(kind);
  if (program.isolated()) recorder_.leave_out(fakezk::ObjectKind::kUserMemory);
  world_.record_footprints(&recorder_);
}

Exploration::~Exploration() { world_.record_footprints(nullptr); }

Exploration::End Exploration::run() {
  for (;;) {
    run_once();
    order_steps();
    count();
    if (found_.outcome.violation) {
      found_.deviations = world_.deviations();
      return End::kViolation;
    }
    if (const std::optional<End> end = check()) return *end;
    if (!frontier_.backtrack()) return End::kExhausted;
    if (wants_to_stop()) return End::kStopped;
  }
}

bool Exploration::wants_to_stop() const {
  if (tally_.executions >= options_.executions) return true;
  const bool ask = options_.keep_going && tally_.executions % kAskEvery == 0;
  return ask && !options_.keep_going(tally_.executions);
}

// A broken-off execution shows no violation, even while it is cleared away.
void Exploration::run_once() {
  run_ = Run::kWhole;
  depth_ = 0;
  Execution execution(world_, program_, limits_);
  execution.run(*this, nullptr, this);
  recorder_.pause();
  found_.outcome = {std::nullopt, world_.trace_hash(), world_.steps(), world_.positions()};
  if (run_ == Run::kWhole) final_state_ = received_.state();
  execution.clear_away();
  if (broken_off()) return;
  found_.outcome.violation = execution.verdict().violation();
  found_.outcome.judged = program_.judgements();
}

bool Exploration::is_judged(const Execution& execution) {
  if (execution.healed()) run_ = Run::kCut;
  if (run_ == Run::kWhole && !trace_.empty()) trace_.last().sender = recorder_.sender();
  recorder_.pause();
  if (run_ == Run::kWhole && execution.ended()) run_ = how_it_ended();
  return !broken_off();
}

Exploration::Run Exploration::how_it_ended() const {
  if (depth_ < trace_.size()) return Run::kDiverged;
  if (trace_.empty()) return Run::kWhole;
  if (by_source() && !frontier_.all_faults_happened()) return Run::kMissing;
  return frontier_.last_step_slept() ? Run::kHalf : Run::kWhole;
}

fakezk::Choice Exploration::next(const fakezk::Menu& menu) {
  recorder_.pause();
  if (run_ != Run::kWhole) return {};
  if (depth_ > 0) trace_[depth_ - 1].sender = recorder_.sender();
  return depth_ < trace_.size() ? known_step(menu) : new_step(menu);
}

std::optional<std::uint32_t> Exploration::last_fault(const fakezk::Menu& menu) {
  const fakezk::Choice choice = next(menu);
  return choice.fault ? std::optional(choice.index) : std::nullopt;
}

fakezk::Choice Exploration::known_step(const fakezk::Menu& menu) {
  TraceStep& step = trace_[depth_];
  if (step.hash != world_.trace_hash()) {
    run_ = Run::kDiverged;
    return {};
  }
  // Lists the faults while the recorder pauses: the lookups of the list are not part of the step.
  if (step.choice.fault) static_cast<void>(menu.faults());
  return take(step);
}

fakezk::Choice Exploration::new_step(const fakezk::Menu& menu) {
  if (frontier_.last_step_slept()) {
    run_ = Run::kHalf;
    return {};
  }
  if (trace_.size() >= (tally_.deepest == 0 ? limits_.steps / 2 : tally_.deepest)) {
    run_ = Run::kCut;
    return {};
  }
  switch (frontier_.open(menu)) {
    case Frontier::Opened::kStep:
      trace_.last().received = received_.hashes();
      return take(trace_.last());
    case Frontier::Opened::kAllIsKnown: run_ = Run::kHalf; return {};
    case Frontier::Opened::kNothingCanHappen: break;
  }
  return {};
}

fakezk::Choice Exploration::take(TraceStep& step) {
  recorder_.begin_step(static_cast<std::uint32_t>(depth_), step.footprint);
  if (depth_ < frontier_.first_new()) {
    recorder_.pause();  // An earlier run has recorded it.
  } else {
    record(step);
  }
  ++depth_;
  numbers_drawn_ = 0;
  return step.choice;
}

void Exploration::record(TraceStep& step) {
  step.footprint.clear();
  if (step.key == kTheEnd) recorder_.touches_everything();
  if (depth_ > frontier_.first_new()) return;
  received_.restore(step.received);
  world_.set_tracer(&received_);
}

std::uint32_t Exploration::number(std::uint32_t options) {
  if (run_ != Run::kWhole) return 0;
  std::vector<DrawnNumber>& drawn = trace_[depth_ - 1].numbers;
  if (numbers_drawn_ == drawn.size()) drawn.push_back({0, options});
  return drawn[numbers_drawn_++].value;
}

// Orders the new steps by happens-before, and finds the other orders that are still to be tried.
void Exploration::order_steps() {
  const bool complete = run_ == Run::kWhole && !found_.outcome.violation;
  for (std::size_t step = frontier_.first_new(); step < trace_.size(); ++step) {
    trace_.order(step, world_.server().paths());
    if (!by_source()) continue;
    for (const std::size_t earlier : trace_.races()) frontier_.reverse(earlier, step);
    frontier_.reverse_sleeping(step);
    frontier_.add_disabled(step, complete);
  }
}

void Exploration::count() {
  found_.execution = tally_.executions++;
  tally_.steps += found_.outcome.steps;
  if (broken_off()) return;
  tally_.judged += found_.outcome.judged;
  if (tally_.deepest == 0) measure();
  if (found_.outcome.violation) return;
  if (run_ == Run::kCut) {
    ++tally_.cut;
  } else {
    count_trace();
  }
}

void Exploration::count_trace() {
  ++tally_.traces;
  tally_.trace_hash += fakezk::mix(found_.outcome.trace_hash);
  const std::uint64_t identity = trace_.identity();
  if (reduces() || tally_.known.insert(identity).second)
    tally_.trace_set_hash += fakezk::mix(identity);
  tally_.final_states.insert(final_state_);
}

// If even the default order was cut, only the steps after the schedule became fair count.
void Exploration::measure() {
  const std::uint32_t mended = limits_.steps / 2;
  const std::uint32_t steps = found_.outcome.steps;
  const bool was_cut = run_ == Run::kCut;
  tally_.deepest = std::min(mended, kLonger * (was_cut ? steps - mended : steps) + kLongest);
  trace_.shorten(std::min<std::size_t>(trace_.size(), tally_.deepest));
}

std::optional<Exploration::End> Exploration::check() {
  if (!check_determinism()) return End::kViolation;
  // A fault may never have been possible together with the step that made it impossible. Then no
  // race shows their order.
  if (run_ == Run::kMissing) frontier_.try_everything();
  if (!reduces() || !is_time_to_check(tally_.executions)) return std::nullopt;
  found_.deviations = world_.deviations();
  const SelfCheck::Pair pair = self_check_.check_a_pair(tally_.executions);
  if (pair != SelfCheck::Pair::kNone) ++tally_.pairs_checked;
  if (pair == SelfCheck::Pair::kDependent) return End::kDependent;
  if (pair != SelfCheck::Pair::kNondeterministic) return std::nullopt;
  report_nondeterminism(self_check_.where_runs_diverge(found_.deviations));
  return End::kViolation;
}

// Nearly every run begins like an earlier one, and some are repeated to the end. False if the
// program does not always take the same steps; found() then says so.
bool Exploration::check_determinism() {
  if (is_repeated(tally_.executions - 1)) tally_.repeats = true;
  const bool repeats = tally_.repeats && !broken_off();
  if (run_ != Run::kDiverged && !repeats) return true;
  found_.deviations = world_.deviations();
  if (run_ == Run::kDiverged) {
    report_nondeterminism(self_check_.where_runs_diverge(found_.deviations));
    return false;
  }
  tally_.repeats = false;
  std::optional<Violation> parted = self_check_.repeat(found_.deviations, found_.outcome);
  if (parted) report_nondeterminism(std::move(*parted));
  return !found_.nondeterministic;
}

void Exploration::report_nondeterminism(Violation violation) {
  found_.outcome.violation = std::move(violation);
  found_.nondeterministic = true;
}

}  // namespace lockstep::search
