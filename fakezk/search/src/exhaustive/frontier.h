#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "exhaustive/step_key.h"
#include "exhaustive/trace.h"
#include "lockstep/search/exhaustive.h"

namespace lockstep::search {

// A step that has been searched from an earlier state and commutes with all that has happened
// since: the executions that begin with it are known.
struct Sleeping {
  StepKey key;
  std::vector<std::uint32_t> numbers;
  std::uint32_t variants;  // How many variants of this key there were, with different numbers.
  fakezk::Footprint footprint;
};

// A state on the current path.
struct Node {
  struct Option {
    StepKey key;
    fakezk::Choice choice;
  };

  void reuse();
  [[nodiscard]] const Option* find(StepKey wanted) const;
  [[nodiscard]] bool is_done(StepKey wanted) const;
  [[nodiscard]] bool is_to_be_tried(StepKey wanted) const;
  // True if every variant of this step sleeps.
  [[nodiscard]] bool asleep(StepKey wanted) const;
  // Source sets: adds everything that can happen here to `backtrack`.
  void try_everything();

  std::vector<Option> enabled;
  std::vector<Sleeping> sleep;
  std::vector<std::size_t> woken;  // Those in `sleep` that the step taken from here wakes.
  std::size_t inherited = 0;       // How many at the front of `sleep` come from earlier states.
  std::vector<StepKey> backtrack;  // Source sets: the steps still to be tried from here.
  std::vector<StepKey> done;
};

// The faults that are to happen in a search.
struct FaultsToHappen {
  // With source sets exactly these; one may occur twice. Otherwise any that the world allows.
  std::vector<Fault> faults;
  // Finds out which other faults could happen, too: Frontier::faults_seen().
  bool looks_for_others = false;
};

// The work left to a depth-first search: for every state on the path to the end of the trace, the
// steps that can be taken there, those that sleep, and those that must be tried.
class Frontier {
 public:
  Frontier(const fakezk::World& world, Trace& trace, Reduction reduction, FaultsToHappen faults);

  // The trace has led to a new state: appends the first step to be tried there. The
  // default step comes first, but with source sets a fault happens as early as it can, so that
  // every reversal finds it.
  enum class Opened : std::uint8_t { kStep, kNothingCanHappen, kAllIsKnown };
  Opened open(const fakezk::Menu& menu);
  // True if the trace's last step, with its numbers, slept when its state was reached.
  [[nodiscard]] bool last_step_slept() const;

  // For source sets: a race demands that `later` is tried before `earlier`.
  void reverse(std::size_t earlier, std::size_t later);
  // Lets the step be tried before steps that sleep although it does not commute with them. All
  // earlier steps must have been given before.
  void reverse_sleeping(std::size_t step);
  // Lets steps that this one has made impossible be tried before it. `ended`: nothing follows the
  // trace.
  void add_disabled(std::size_t step, bool ended);
  // Tries everything from every state on the path.
  void try_everything();

  // Turns the trace into the next schedule, all of whose steps but the last one are known; false if
  // everything has been tried.
  bool backtrack();
  // The first step that is new in this run.
  [[nodiscard]] std::size_t first_new() const { return first_new_; }

  // True if this could have happened in that state, too.
  [[nodiscard]] bool could_happen(std::size_t state, StepKey key) const {
    return nodes_[state].find(key) != nullptr;
  }
  [[nodiscard]] bool all_faults_happened() const {
    return world_.faults_injected() == faults_.faults.size();
  }
  // Every fault that could have happened somewhere, if the frontier looks for others.
  [[nodiscard]] std::vector<Fault> faults_seen() const;

 private:
  [[nodiscard]] bool reduces() const { return reduction_ != Reduction::kNone; }
  [[nodiscard]] bool by_source() const { return reduction_ == Reduction::kSource; }
  void try_one_of(const std::vector<StepKey>& keys, Node& state);
  void list(const fakezk::Menu& menu, Node& node);
  void list_faults(const fakezk::Menu& menu, Node& node);
  [[nodiscard]] bool is_still_to_happen(StepKey fault) const;
  void inherit_sleep(Node& node) const;
  [[nodiscard]] const Node::Option* first_to_try(const Node& node) const;
  void put_to_sleep(Node& node) const;
  bool next_variant(Node& node);
  void close_key(Node& node) const;
  bool next_key(Node& node);

  const fakezk::World& world_;
  Trace& trace_;
  Reduction reduction_;
  FaultsToHappen faults_;
  std::vector<Node> nodes_;  // Reused; those of the trace's steps are valid.
  std::size_t first_new_ = 0;
  std::vector<std::size_t> waking_;  // The steps that wake others: Node::woken is not empty.
  std::set<StepKey> faults_seen_;
};

}  // namespace lockstep::search
