// Finds the dependences between the steps just run; with source sets, also which of their orders
// are still to be tried.
#include <algorithm>
#include <bit>

#include "exhaustive/exploration.h"

namespace lockstep::search {

namespace {

constexpr std::size_t kBits = 64;
constexpr int kIndexBits = 32;  // Bits of the index in a key.

bool bit(const std::vector<std::uint64_t>& bits, std::size_t index) {
  return index / kBits < bits.size() && (bits[index / kBits] >> (index % kBits) & 1) != 0;
}

void set_bit(std::vector<std::uint64_t>& bits, std::size_t index) {
  if (index / kBits >= bits.size()) bits.resize(index / kBits + 1, 0);
  bits[index / kBits] |= std::uint64_t{1} << (index % kBits);
}

void join(std::vector<std::uint64_t>& into, const std::vector<std::uint64_t>& other) {
  if (into.size() < other.size()) into.resize(other.size(), 0);
  for (std::size_t i = 0; i < other.size(); ++i) into[i] |= other[i];
}

bool meet(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if ((a[i] & b[i]) != 0) return true;
  }
  return false;
}

}  // namespace

bool Exploration::before(std::size_t earlier, std::size_t later) const {
  return bit(before_[later], earlier);
}

// A timer that fires because nothing else can happen comes after everything.
bool Exploration::depends(std::size_t earlier, std::size_t later) const {
  const Node& first = nodes_[earlier];
  const Node& second = nodes_[later];
  return first.key == second.key || second.sender == earlier || is_timer(second.key) ||
         first.footprint.conflicts_with(second.footprint);
}

void Exploration::order_steps(bool ended) {
  if (before_.size() < length_) before_.resize(length_);
  if (identity_.size() < length_) identity_.resize(length_);
  for (std::size_t step = fresh_; step < length_; ++step) {
    order_step(step);
    identify(step);
    if (by_source()) add_disabled(step, ended);
  }
}

// Finds the steps that a step depends on, latest first, so that the steps between are known: a
// direct dependence that is not causal is a race.
void Exploration::order_step(std::size_t later) {
  std::vector<std::uint64_t>& known = before_[later];
  known.clear();
  for (std::size_t earlier = later; earlier-- > 0;) {
    if (bit(known, earlier) || !depends(earlier, later)) continue;
    const bool caused = nodes_[later].sender == earlier || nodes_[later].key == nodes_[earlier].key;
    set_bit(known, earlier);
    join(known, before_[earlier]);
    if (by_source() && !caused) add_reversal(earlier, later);
  }
}

// The number of a path differs between searches, so it is replaced by the path itself.
std::uint64_t Exploration::label(const Node& node) const {
  std::uint64_t hash = fakezk::mix(node.key);
  if (is_about_path(node.key)) {
    hash = fakezk::mix(node.key >> kIndexBits) ^
           world_.server().paths().text(static_cast<fakezk::PathId>(node.key)).hash();
  }
  for (const DrawnNumber& number : node.numbers) hash = fakezk::mix(hash ^ number.value) + 1;
  return hash;
}

void Exploration::identify(std::size_t step) {
  std::uint64_t behind = 0;
  for (std::size_t word = 0; word < before_[step].size(); ++word) {
    for (std::uint64_t left = before_[step][word]; left != 0; left &= left - 1) {
      behind += identity_[word * kBits + static_cast<std::size_t>(std::countr_zero(left))];
    }
  }
  identity_[step] = fakezk::mix(fakezk::mix(behind) ^ label(nodes_[step]));
}

std::uint64_t Exploration::trace_identity() const {
  std::uint64_t sum = 0;
  for (std::size_t step = 0; step < length_; ++step) {
    if (nodes_[step].key != kTheEnd) sum += identity_[step];
  }
  return sum;
}

// `later` is to be tried before `earlier`. All steps in between that do not depend on `earlier` may
// go first; those that can be the first of them are the initials, and one of them is enough.
void Exploration::add_reversal(std::size_t earlier, std::size_t later) {
  std::vector<std::uint64_t> between;
  for (std::size_t step = earlier + 1; step < later; ++step) {
    if (!before(earlier, step)) set_bit(between, step);
  }
  set_bit(between, later);
  Node& state = nodes_[earlier];
  const Node::Option* wanted = nullptr;
  for (std::size_t step = earlier + 1; step <= later; ++step) {
    if (!bit(between, step)) continue;
    if (meet(before_[step], between)) continue;
    const StepKey key = nodes_[step].key;
    const Node::Option* const option = state.find(key);
    if (!option) continue;  // `earlier` makes it possible.
    if (state.asleep(key)) return;
    if (std::ranges::find(state.backtrack, key) != state.backtrack.end()) return;
    if (!wanted) wanted = option;
  }
  if (wanted) state.backtrack.push_back(wanted->key);
}

// A step that was possible and no longer is may have to come first. After a fault nothing counts as
// still possible: a cut leaves something else to receive than it has lost. The same goes for a
// process that wakes: a timer that would have fired once all else was done may now never do so, and
// then no race shows that the rest could have come first.
void Exploration::add_disabled(std::size_t step, bool ended) {
  if (step + 1 == length_ && !ended) return;
  Node& state = nodes_[step];
  for (const Node::Option& option : state.enabled) {
    if (option.key == state.key) continue;
    const bool still = step + 1 < length_ && nodes_[step + 1].find(option.key);
    if (still && !is_fault(state.key) && !is_wake(state.key)) continue;
    // It must be tried, but not from here: so try everything that may lead to a state in which it
    // does not sleep.
    if (!still && state.asleep(option.key)) return state.try_everything();
    if (std::ranges::find(state.backtrack, option.key) != state.backtrack.end()) continue;
    state.backtrack.push_back(option.key);
  }
}

}  // namespace lockstep::search
