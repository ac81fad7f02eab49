#include "exhaustive/frontier.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace lockstep::search {

void Node::reuse() {
  enabled.clear();
  sleep.clear();
  inherited = 0;
  backtrack.clear();
  done.clear();
}

const Node::Option* Node::find(StepKey wanted) const {
  const auto found = std::ranges::find(enabled, wanted, &Option::key);
  return found == enabled.end() ? nullptr : &*found;
}

bool Node::is_done(StepKey wanted) const { return std::ranges::find(done, wanted) != done.end(); }

bool Node::is_to_be_tried(StepKey wanted) const {
  return std::ranges::find(backtrack, wanted) != backtrack.end();
}

void Node::try_everything() {
  for (const Option& option : enabled) {
    if (!is_to_be_tried(option.key)) backtrack.push_back(option.key);
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

Frontier::Frontier(const fakezk::World& world, Trace& trace, Reduction reduction,
                   FaultsToHappen faults)
    : world_(world), trace_(trace), reduction_(reduction), faults_(std::move(faults)) {}

Frontier::Opened Frontier::open(const fakezk::Menu& menu) {
  if (trace_.size() == nodes_.size()) nodes_.resize(2 * trace_.size() + 8);
  Node& node = nodes_[trace_.size()];
  node.reuse();
  list(menu, node);
  if (node.enabled.empty()) return Opened::kNothingCanHappen;
  inherit_sleep(node);
  const Node::Option* const first = first_to_try(node);
  if (!first) return Opened::kAllIsKnown;
  TraceStep& step = trace_.append();
  step.key = first->key;
  step.choice = first->choice;
  step.hash = world_.trace_hash();
  node.backtrack.push_back(first->key);
  return Opened::kStep;
}

void Frontier::list(const fakezk::Menu& menu, Node& node) {
  const std::span<const fakezk::Event> events = menu.events();
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    node.enabled.push_back({key_of(events[i], world_.server()), fakezk::Choice{false, i}});
  }
  // With source sets the execution is over when all faults have happened, and not before.
  if (by_source() && all_faults_happened() && !faults_.looks_for_others) return;
  list_faults(menu, node);
  const bool may_be_over = events.empty() && !node.enabled.empty() && !by_source();
  if (may_be_over) node.enabled.insert(node.enabled.begin(), {kTheEnd, fakezk::Choice()});
}

void Frontier::list_faults(const fakezk::Menu& menu, Node& node) {
  const std::span<const fakezk::Event> possible = menu.faults();
  for (std::uint32_t i = 0; i < possible.size(); ++i) {
    const StepKey fault = key_of(possible[i], world_.server());
    if (faults_.looks_for_others) faults_seen_.insert(fault);
    if (!by_source() || is_still_to_happen(fault)) {
      node.enabled.push_back({fault, fakezk::Choice{true, i}});
    }
  }
}

bool Frontier::is_still_to_happen(StepKey fault) const {
  const auto meant = std::ranges::count_if(
      faults_.faults, [&](const Fault& one) { return one.is(fault, world_.server().paths()); });
  return meant > 0 && trace_.count(fault) < static_cast<std::size_t>(meant);
}

std::vector<Fault> Frontier::faults_seen() const {
  std::vector<Fault> faults;
  for (const StepKey fault : faults_seen_) faults.emplace_back(fault, world_.server().paths());
  return faults;
}

void Frontier::inherit_sleep(Node& node) const {
  if (!reduces() || trace_.empty()) return;
  const TraceStep& taken = trace_.last();
  for (const Sleeping& step : nodes_[trace_.size() - 1].sleep) {
    if (step.key == taken.key || step.footprint.conflicts_with(taken.footprint)) continue;
    node.sleep.push_back(step);
  }
  node.inherited = node.sleep.size();
}

const Node::Option* Frontier::first_to_try(const Node& node) const {
  const Node::Option* picked = nullptr;
  for (const Node::Option& option : node.enabled) {
    if (node.asleep(option.key)) continue;
    if (!picked) picked = &option;
    if (by_source() && is_fault(option.key) && !is_fault(picked->key)) picked = &option;
  }
  return picked;
}

bool Frontier::last_step_slept() const {
  if (trace_.empty()) return false;
  const TraceStep& taken = trace_.last();
  const Node& node = nodes_[trace_.size() - 1];
  for (std::size_t i = 0; i < node.inherited; ++i) {
    const Sleeping& slept = node.sleep[i];
    if (slept.key == taken.key &&
        std::ranges::equal(slept.numbers, taken.numbers, {}, {}, &DrawnNumber::value)) {
      return true;
    }
  }
  return false;
}

// All steps in between that do not depend on `earlier` may go first. It is enough to try one of
// those that can be the first of them.
void Frontier::reverse(std::size_t earlier, std::size_t later) {
  try_one_of(trace_.initials(earlier, later), nodes_[earlier]);
}

void Frontier::try_one_of(const std::vector<StepKey>& keys, Node& state) {
  const Node::Option* wanted = nullptr;
  for (const StepKey key : keys) {
    const Node::Option* const option = state.find(key);
    if (!option) continue;  // Only `earlier` makes it possible.
    if (state.asleep(key) || state.is_to_be_tried(key)) return;
    if (!wanted) wanted = option;
  }
  if (wanted) state.backtrack.push_back(wanted->key);
}

// The objects that a step touches may depend on what its process has received before. So a step
// that sleeps, and is woken by such a receipt, may touch less when it happens. A later step then
// shows no race with it, but would have shown one before the receipt.
void Frontier::reverse_sleeping(std::size_t step) {
  const TraceStep& taken = trace_[step];
  while (!waking_.empty() && waking_.back() >= step) waking_.pop_back();
  for (const std::size_t from : waking_) {
    if (taken.before.contains(from)) continue;
    for (const std::size_t index : nodes_[from].woken) {
      const fakezk::Footprint& asleep = nodes_[from].sleep[index].footprint;
      if (!asleep.conflicts_with(taken.footprint)) continue;
      try_one_of(trace_.initials_of_causes(from, step, asleep), nodes_[from]);
    }
  }
  Node& state = nodes_[step];
  state.woken.clear();
  for (std::size_t i = 0; i < state.sleep.size(); ++i) {
    if (state.sleep[i].footprint.conflicts_with(taken.footprint)) state.woken.push_back(i);
  }
  if (!state.woken.empty()) waking_.push_back(step);
}

namespace {

// Whether the step has broken the connection of that delivery: what its client receives next is the
// end of the connection.
bool has_broken_link_of(StepKey delivery, const TraceStep& taken) {
  const std::optional<fakezk::LinkIndex> link = delivers_over(delivery);
  if (!link) return false;
  fakezk::Footprint connection;
  connection.add(fakezk::ObjectKind::kLink, *link, false);
  return taken.footprint.conflicts_with(connection);
}

}  // namespace

// A step that is no longer possible may have to come first. After a fault, no step counts as still
// possible: a cut changes what is left to receive. The same goes for a process that wakes: a timer
// that would have fired once all else was done may now never fire, and then no race shows that the
// rest could have come first.
void Frontier::add_disabled(std::size_t step, bool ended) {
  const bool last = step + 1 == trace_.size();
  if (last && !ended) return;
  const StepKey taken = trace_[step].key;
  Node& state = nodes_[step];
  for (const Node::Option& option : state.enabled) {
    if (option.key == taken) continue;
    const bool still =
        !last && nodes_[step + 1].find(option.key) && !has_broken_link_of(option.key, trace_[step]);
    if (still && !is_fault(taken) && !is_wake(taken)) continue;
    // The step must be tried, but not from here: so try everything that may lead to a state in
    // which it does not sleep.
    if (!still && state.asleep(option.key)) return state.try_everything();
    if (!state.is_to_be_tried(option.key)) state.backtrack.push_back(option.key);
  }
}

void Frontier::try_everything() {
  for (std::size_t i = 0; i < trace_.size(); ++i) nodes_[i].try_everything();
}

bool Frontier::backtrack() {
  while (!trace_.empty()) {
    Node& node = nodes_[trace_.size() - 1];
    if (reduces()) put_to_sleep(node);
    if (next_variant(node) || next_key(node)) {
      first_new_ = trace_.size() - 1;
      return true;
    }
    trace_.shorten(trace_.size() - 1);
  }
  return false;
}

void Frontier::put_to_sleep(Node& node) const {
  const TraceStep& taken = trace_.last();
  Sleeping step{taken.key, {}, fakezk::FootprintRecorder::kNoStep, taken.footprint};
  for (const DrawnNumber& number : taken.numbers) step.numbers.push_back(number.value);
  node.sleep.push_back(std::move(step));
}

// The same step with the next numbers, if it draws any.
bool Frontier::next_variant(Node& node) {
  std::vector<DrawnNumber>& numbers = trace_.last().numbers;
  while (!numbers.empty()) {
    DrawnNumber& last = numbers.back();
    if (++last.value < last.options) return true;
    numbers.pop_back();
  }
  close_key(node);
  return false;
}

void Frontier::close_key(Node& node) const {
  const StepKey key = trace_.last().key;
  node.done.push_back(key);
  const auto variants =
      static_cast<std::uint32_t>(std::ranges::count(node.sleep, key, &Sleeping::key));
  for (Sleeping& step : node.sleep) {
    if (step.key == key) step.variants = variants;
  }
}

bool Frontier::next_key(Node& node) {
  for (const Node::Option& option : node.enabled) {
    if (node.is_done(option.key) || node.asleep(option.key)) continue;
    if (by_source() && !node.is_to_be_tried(option.key)) continue;
    trace_.last().key = option.key;
    trace_.last().choice = option.choice;
    return true;
  }
  return false;
}

}  // namespace lockstep::search
