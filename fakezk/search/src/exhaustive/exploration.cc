#include "exhaustive/exploration.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "lockstep/search/schedule.h"
#include "lockstep/search/state_hash.h"
#include "repeat.h"

namespace lockstep::search {

namespace {

constexpr int kKindShift = 40;
constexpr int kFaultShift = 32;
// How often to ask the caller whether to go on, and to try a pair of steps in both orders.
constexpr std::uint64_t kAskEvery = 256;
constexpr std::uint64_t kCheckEvery = 128;

// Schedules branch up to this many times the steps of the first execution, which is a calm one,
// plus kLongest: a longer execution most likely never ends.
constexpr std::uint32_t kLonger = 8;
constexpr std::uint32_t kLongest = 256;

// Small searches check their claims as well: at 1, 2, 4, 8, ... executions and then regularly.
bool is_time_to_check(std::uint64_t executions) {
  return std::has_single_bit(executions) || executions % kCheckEvery == 0;
}

fakezk::Event::Kind kind_of(StepKey key) {
  return static_cast<fakezk::Event::Kind>(key >> kKindShift);
}

}  // namespace

StepKey key_of(const fakezk::Event& event, const fakezk::Server& server) {
  std::uint64_t index = event.index;
  if (event.kind == fakezk::Event::Kind::kReap) index = server.reaping()[event.index];
  if (event.kind == fakezk::Event::Kind::kFault) {
    if (event.fault == fakezk::FaultKind::kParentRemoval) index = server.reapable()[event.index];
    if (event.fault == fakezk::FaultKind::kSequenceOverflow) index = server.windable()[event.index];
  }
  if (event.kind == fakezk::Event::Kind::kStray) index = server.stray_session(event.index);
  return static_cast<std::uint64_t>(event.kind) << kKindShift |
         static_cast<std::uint64_t>(event.fault) << kFaultShift | index;
}

bool is_fault(StepKey key) { return kind_of(key) == fakezk::Event::Kind::kFault; }
bool is_timer(StepKey key) { return kind_of(key) == fakezk::Event::Kind::kTimer; }
bool is_wake(StepKey key) { return kind_of(key) == fakezk::Event::Kind::kWake; }
fakezk::FaultKind fault_of(StepKey key) {
  return static_cast<fakezk::FaultKind>(key >> kFaultShift & 0xff);
}

bool is_about_path(StepKey key) {
  if (!is_fault(key)) return kind_of(key) == fakezk::Event::Kind::kReap;
  return fault_of(key) == fakezk::FaultKind::kParentRemoval ||
         fault_of(key) == fakezk::FaultKind::kSequenceOverflow;
}

std::string describe(StepKey key) {
  const std::string index = " " + std::to_string(key & 0xffffffff);
  switch (kind_of(key)) {
    case fakezk::Event::Kind::kDeliver: return "deliver over link" + index;
    case fakezk::Event::Kind::kApply: return "apply from link" + index;
    case fakezk::Event::Kind::kCloseSession: return "close session" + index;
    case fakezk::Event::Kind::kReap: return "reap znode" + index;
    case fakezk::Event::Kind::kStray: return "apply a stray of session" + index;
    case fakezk::Event::Kind::kReplicate: return "replicate to" + index;
    case fakezk::Event::Kind::kTimer: return "timer";
    case fakezk::Event::Kind::kWake: return "wake process" + index;
    case fakezk::Event::Kind::kFault: break;
  }
  return std::string(name(fault_of(key))) + index;
}

void Node::reuse() {
  enabled.clear();
  sleep.clear();
  inherited = 0;
  backtrack.clear();
  done.clear();
  numbers.clear();
  footprint.clear();
  sender = fakezk::FootprintRecorder::kNoStep;
}

const Node::Option* Node::find(StepKey wanted) const {
  const auto found = std::ranges::find(enabled, wanted, &Option::key);
  return found == enabled.end() ? nullptr : &*found;
}

bool Node::is_done(StepKey wanted) const { return std::ranges::find(done, wanted) != done.end(); }

void Node::try_everything() {
  for (const Option& option : enabled) {
    if (std::ranges::find(backtrack, option.key) == backtrack.end())
      backtrack.push_back(option.key);
  }
}

bool Node::asleep(StepKey wanted) const {
  std::uint32_t sleeping = 0;
  std::uint32_t variants = 1;
  for (const Sleeping& step : sleep) {
    if (step.key != wanted) continue;
    ++sleeping;
    variants = step.variants;
  }
  return sleeping >= variants;
}

bool Node::took_what_slept() const {
  for (std::size_t i = 0; i < inherited; ++i) {
    if (sleep[i].key != key || sleep[i].numbers.size() != numbers.size()) continue;
    if (std::ranges::equal(sleep[i].numbers, numbers, {}, {}, &DrawnNumber::value)) return true;
  }
  return false;
}

Exploration::Exploration(fakezk::World& world, Program& program, const ExhaustiveOptions& options,
                         const ExecutionLimits& limits, std::vector<StepKey> faults, Tally& tally)
    : world_(world),
      program_(program),
      options_(options),
      limits_(limits),
      faults_(std::move(faults)),
      tally_(tally) {
  for (const fakezk::ObjectKind kind : options.left_out) recorder_.leave_out(kind);
  if (program.isolated()) recorder_.leave_out(fakezk::ObjectKind::kUserMemory);
  world_.record_footprints(&recorder_);
}

Exploration::~Exploration() {
  world_.record_footprints(nullptr);
  world_.end();
  program_.clear();
}

Exploration::End Exploration::run() {
  for (;;) {
    const Ran ran = run_once();
    order_steps(ran == Ran::kComplete);
    count(ran);
    found_.execution = tally_.executions - 1;
    if (ran == Ran::kViolation) {
      found_.deviations = world_.deviations();
      return End::kViolation;
    }
    if (!check_determinism(ran)) return End::kViolation;
    // A fault and the step that made it impossible need not have been possible together, so that no
    // race shows their order.
    for (std::size_t i = 0; missing_ && i < length_; ++i) nodes_[i].try_everything();
    if (reduces() && is_time_to_check(tally_.executions) && !check_a_pair()) {
      return found_.nondeterministic ? End::kViolation : End::kDependent;
    }
    if (!backtrack()) return End::kExhausted;
    if (tally_.executions >= options_.executions) return End::kStopped;
    const bool ask = options_.keep_going && tally_.executions % kAskEvery == 0;
    if (ask && !options_.keep_going(tally_.executions)) return End::kStopped;
  }
}

void Exploration::count(Ran ran) {
  ++tally_.executions;
  tally_.steps += found_.outcome.steps;
  if (ran == Ran::kCut) ++tally_.cut;
  if (tally_.deepest == 0 && ran != Ran::kHalf) measure();
  if (ran != Ran::kComplete) return;
  count_trace();
  tally_.final_states.insert(final_state_);
}

std::uint64_t Exploration::state() const {
  std::uint64_t state = state_hash(world_);
  for (const std::uint64_t received : received_) state = fakezk::mix(state ^ received);
  return state;
}

void Exploration::count_trace() {
  ++tally_.traces;
  tally_.trace_hash += fakezk::mix(found_.outcome.trace_hash);
  const std::uint64_t identity = trace_identity();
  if (reduces() || tally_.known.insert(identity).second)
    tally_.trace_set_hash += fakezk::mix(identity);
}

// If even the calm order was cut, only the steps after the schedule became fair count.
void Exploration::measure() {
  const std::uint32_t mended = limits_.steps / 2;
  const std::uint32_t steps = found_.outcome.steps;
  tally_.deepest = std::min(mended, kLonger * (cut_ ? steps - mended : steps) + kLongest);
  length_ = std::min<std::size_t>(length_, tally_.deepest);
}

void Exploration::begin_run() {
  depth_ = 0;
  half_ = false;
  cut_ = false;
  parted_ = false;
  received_.clear();
  world_.end();
  program_.clear();
  execution_.emplace(world_, program_, limits_);
  program_.reset(world_);
  world_.set_names(&program_);
}

// Like execute(), except that the search may break off. Clearing away a half-finished execution
// shows nothing.
Exploration::Ran Exploration::run_once() {
  begin_run();
  try {
    execute_program();
  } catch (...) {
    report_thrown(std::current_exception(), world_, execution_->verdict());
  }
  recorder_.pause();
  world_.set_tracer(nullptr);
  found_.outcome.violation.reset();
  found_.outcome.trace_hash = world_.trace_hash();
  found_.outcome.steps = world_.steps();
  found_.outcome.positions = world_.positions();
  if (half_) return Ran::kHalf;
  if (!cut_) final_state_ = state();
  execution_->clear_away();
  found_.outcome.violation = execution_->verdict().violation();
  if (found_.outcome.violation) return Ran::kViolation;
  return cut_ ? Ran::kCut : Ran::kComplete;
}

void Exploration::execute_program() {
  execution_->start(this);
  while (execution_->go_on(*this, 1) && !half_) {
  }
  if (execution_->healed()) cut_ = true;
  end_run();
  if (execution_->ended() && !half_) program_.finish(world_);
}

// Records for the search how the execution ended.
void Exploration::end_run() {
  const bool ended = execution_->ended() && !cut_;
  missing_ = false;
  if (!half_ && !cut_ && length_ > 0) nodes_[length_ - 1].sender = recorder_.sender();
  recorder_.pause();
  if (!ended || half_) return;
  if (depth_ < length_) parted_ = half_ = true;
  if (length_ == 0) return;
  if (nodes_[length_ - 1].took_what_slept()) half_ = true;
  missing_ = by_source() && !all_faults_happened();
  if (missing_) half_ = true;
}

Outcome Exploration::run_again(fakezk::Tracer* tracer) {
  world_.end();
  program_.clear();
  Replay replay(found_.deviations);
  return execute(world_, program_, replay, limits_, tracer);
}

void Exploration::not_deterministic(Violation violation) {
  found_.outcome.violation = std::move(violation);
  found_.nondeterministic = true;
}

// Nearly every run begins like an earlier one, and a share of them is run twice to the end.
bool Exploration::check_determinism(Ran ran) {
  if (is_repeated(tally_.executions - 1)) tally_.repeats = true;
  const bool repeats = tally_.repeats && ran != Ran::kHalf;
  if (!parted_ && !repeats) return true;
  found_.deviations = world_.deviations();
  const RunAgain again = [this](fakezk::Tracer* tracer) { return run_again(tracer); };
  if (parted_) {
    not_deterministic(where_runs_part(world_, again));
    return false;
  }
  tally_.repeats = false;
  std::optional<Violation> parted = find_nondeterminism(world_, found_.outcome, again);
  if (parted) not_deterministic(std::move(*parted));
  return !found_.nondeterministic;
}

bool Exploration::all_faults_happened() const { return world_.faults_injected() == faults_.size(); }

void Exploration::step(const fakezk::Step& step) {
  // Skip messages delivered to a client that has gone away: they change no process's state.
  if (!step.received || !world_.network()[step.event.index].endpoint) return;
  const std::uint32_t process = world_.process_of(step.event.index);
  if (process >= received_.size()) received_.resize(process + 1, 0);
  received_[process] = fakezk::mix(received_[process] ^ content_hash(*step.received)) + 1;
}

fakezk::Choice Exploration::next(const fakezk::Menu& menu) {
  recorder_.pause();
  if (scripted_) return next_of_script(menu);
  if (cut_) return fakezk::Choice();
  if (depth_ > 0) nodes_[depth_ - 1].sender = recorder_.sender();
  if (depth_ < length_) {
    if (nodes_[depth_].hash != world_.trace_hash()) {
      parted_ = half_ = true;
      return fakezk::Choice();
    }
    if (nodes_[depth_].choice.fault) static_cast<void>(menu.faults());  // Listing is no step.
    return take(nodes_[depth_]);
  }
  if (half_) return fakezk::Choice();
  if (length_ > 0 && nodes_[length_ - 1].took_what_slept()) {
    half_ = true;
    return fakezk::Choice();
  }
  if (length_ >= (tally_.deepest == 0 ? limits_.steps / 2 : tally_.deepest)) {
    cut_ = true;
    return fakezk::Choice();
  }
  if (length_ == nodes_.size()) nodes_.resize(2 * length_ + 8);
  Node& node = nodes_[length_];
  node.reuse();
  node.hash = world_.trace_hash();
  list(menu, node);
  if (node.enabled.empty()) return fakezk::Choice();  // The execution is over.
  inherit_sleep(node);
  if (!pick_first(node)) {
    half_ = true;
    return fakezk::Choice();
  }
  ++length_;
  return take(node);
}

std::optional<std::uint32_t> Exploration::last_fault(const fakezk::Menu& menu) {
  const fakezk::Choice choice = next(menu);
  return choice.fault ? std::optional(choice.index) : std::nullopt;
}

// Takes the node's step. Only new steps are recorded.
fakezk::Choice Exploration::take(Node& node) {
  const bool is_new = depth_ >= fresh_;
  if (is_new) node.footprint.clear();
  ignored_.clear();
  recorder_.begin_step(static_cast<std::uint32_t>(depth_), is_new ? node.footprint : ignored_);
  if (node.key == kTheEnd) recorder_.touches_everything();
  ++depth_;
  numbers_drawn_ = 0;
  return node.choice;
}

std::uint32_t Exploration::number(std::uint32_t options) {
  if (scripted_) {
    const std::vector<DrawnNumber>& drawn = script_[depth_ - 1]->numbers;
    return numbers_drawn_ < drawn.size() ? drawn[numbers_drawn_++].value : 0;
  }
  if (half_ || cut_) return 0;
  std::vector<DrawnNumber>& drawn = nodes_[depth_ - 1].numbers;
  if (numbers_drawn_ == drawn.size()) drawn.push_back({0, options});
  return drawn[numbers_drawn_++].value;
}

void Exploration::list(const fakezk::Menu& menu, Node& node) {
  node.enabled.clear();
  const auto add = [&](std::span<const fakezk::Event> events, bool fault) {
    for (std::uint32_t i = 0; i < events.size(); ++i) {
      node.enabled.push_back({key_of(events[i], world_.server()), fakezk::Choice{fault, i}});
    }
  };
  add(menu.events(), false);
  const std::size_t ordinary = node.enabled.size();
  add(menu.faults(), true);
  if (scripted_) return;
  for (std::size_t i = ordinary; i < node.enabled.size(); ++i) {
    faults_seen_.insert(node.enabled[i].key);
  }
  // With source sets the execution is over when all faults have happened, and not before.
  const bool may_be_over = ordinary == 0 && !node.enabled.empty() && !by_source();
  if (may_be_over) node.enabled.insert(node.enabled.begin(), {kTheEnd, fakezk::Choice()});
  if (!by_source()) return;
  std::erase_if(node.enabled, [&](const Node::Option& option) {
    if (!is_fault(option.key)) return false;
    const auto meant = std::ranges::count(faults_, option.key);
    const auto used =
        std::ranges::count_if(nodes_.begin(), nodes_.begin() + static_cast<std::ptrdiff_t>(length_),
                              [&](const Node& earlier) { return earlier.key == option.key; });
    return used >= meant;
  });
}

void Exploration::inherit_sleep(Node& node) {
  if (!reduces() || length_ == 0) return;
  const Node& parent = nodes_[length_ - 1];
  for (const Sleeping& step : parent.sleep) {
    if (step.key == parent.key || step.footprint.conflicts_with(parent.footprint)) continue;
    node.sleep.push_back(step);
  }
  node.inherited = node.sleep.size();
}

// With source sets a fault happens as early as it can, so that every reversal finds it; otherwise
// the calm step comes first.
bool Exploration::pick_first(Node& node) {
  const Node::Option* picked = nullptr;
  for (const Node::Option& option : node.enabled) {
    if (node.asleep(option.key)) continue;
    if (!picked) picked = &option;
    if (by_source() && is_fault(option.key) && !is_fault(picked->key)) picked = &option;
  }
  if (!picked) return false;
  node.key = picked->key;
  node.choice = picked->choice;
  node.backtrack.push_back(picked->key);
  return true;
}

bool Exploration::backtrack() {
  while (length_ > 0) {
    Node& node = nodes_[length_ - 1];
    if (reduces()) put_to_sleep(node);
    if (next_variant(node) || next_key(node)) {
      fresh_ = length_ - 1;
      return true;
    }
    --length_;
  }
  return false;
}

void Exploration::put_to_sleep(Node& node) {
  Sleeping step{node.key, {}, fakezk::FootprintRecorder::kNoStep, node.footprint};
  for (const DrawnNumber& number : node.numbers) step.numbers.push_back(number.value);
  node.sleep.push_back(std::move(step));
}

// The same step with the next numbers, if it draws any.
bool Exploration::next_variant(Node& node) {
  while (!node.numbers.empty()) {
    DrawnNumber& last = node.numbers.back();
    if (++last.value < last.options) return true;
    node.numbers.pop_back();
  }
  close_key(node);
  return false;
}

void Exploration::close_key(Node& node) {
  node.done.push_back(node.key);
  const auto variants =
      static_cast<std::uint32_t>(std::ranges::count(node.sleep, node.key, &Sleeping::key));
  for (Sleeping& step : node.sleep) {
    if (step.key == node.key) step.variants = variants;
  }
}

bool Exploration::next_key(Node& node) {
  for (const Node::Option& option : node.enabled) {
    if (node.is_done(option.key) || node.asleep(option.key)) continue;
    if (by_source() && std::ranges::find(node.backtrack, option.key) == node.backtrack.end()) {
      continue;
    }
    node.key = option.key;
    node.choice = option.choice;
    return true;
  }
  return false;
}

}  // namespace lockstep::search
