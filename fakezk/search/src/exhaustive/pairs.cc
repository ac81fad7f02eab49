// The search checks its own assumption: two steps that it takes for independent are tried in both
// orders.
#include "exhaustive/exploration.h"
#include "repeat.h"

namespace lockstep::search {

bool Exploration::swappable(std::size_t first) const {
  const Node& a = nodes_[first];
  const Node& b = nodes_[first + 1];
  return a.key != b.key && b.sender != first && a.find(b.key) && !is_timer(a.key) &&
         !is_timer(b.key) && !a.footprint.conflicts_with(b.footprint);
}

bool Exploration::check_a_pair() {
  if (length_ < 2) return true;
  found_.deviations = world_.deviations();
  const std::size_t pairs = length_ - 1;
  const std::size_t start = fakezk::mix(tally_.executions) % pairs;
  for (std::size_t i = 0; i < pairs; ++i) {
    const std::size_t first = (start + i) % pairs;
    if (!swappable(first)) continue;
    ++tally_.pairs_checked;
    const std::optional<std::uint64_t> swapped = state_after(first, true);
    const std::optional<std::uint64_t> in_order = state_after(first, false);
    if (in_order == swapped) return true;
    if (state_after(first, true) != swapped || state_after(first, false) != in_order) {
      // The order is not the cause.
      not_deterministic(
          where_runs_part(world_, [this](fakezk::Tracer* tracer) { return run_again(tracer); }));
    } else {
      dependence_ = describe(nodes_[first].key) + ", " + describe(nodes_[first + 1].key);
    }
    return false;
  }
  return true;
}

// The observable state after the steps up to `first` and the next two, in their order or swapped.
// nullopt if that is not possible, or if the two steps conflict in this order: whether two steps
// depend on each other must not depend on the order that was looked at.
std::optional<std::uint64_t> Exploration::state_after(std::size_t first, bool swapped) {
  if (length_ == nodes_.size()) nodes_.resize(length_ + 1);  // Room for the menus of the script.
  script_.clear();
  for (std::size_t i = 0; i < first; ++i) script_.push_back(&nodes_[i]);
  script_.push_back(&nodes_[swapped ? first + 1 : first]);
  script_.push_back(&nodes_[swapped ? first : first + 1]);
  begin_run();
  scripted_ = true;
  execution_->start(this);
  bool possible = true;
  for (std::size_t i = 0; i < script_.size(); ++i) possible = world_.step(*this);
  world_.set_tracer(nullptr);
  scripted_ = false;
  recorder_.pause();
  if (!possible || last_two_[0].conflicts_with(last_two_[1])) return std::nullopt;
  return state();
}

fakezk::Choice Exploration::next_of_script(const fakezk::Menu& menu) {
  Node& scratch = nodes_[length_];
  list(menu, scratch);
  const Node::Option* const option = scratch.find(script_[depth_]->key);
  ++depth_;
  numbers_drawn_ = 0;
  fakezk::Footprint& touched = last_two_[depth_ % 2];
  touched.clear();
  recorder_.begin_step(static_cast<std::uint32_t>(depth_ - 1), touched);
  return option ? option->choice : fakezk::Choice();
}

}  // namespace lockstep::search
