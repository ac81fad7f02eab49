#include "exhaustive/self_check.h"

#include <array>

#include "execution.h"
#include "exhaustive/received.h"
#include "lockstep/search/schedule.h"
#include "repeat.h"

namespace lockstep::search {

namespace {

// Replays given steps of a trace in a given order, and records what the last two touch.
class Script final : public fakezk::Chooser {
 public:
  Script(const fakezk::World& world, fakezk::FootprintRecorder& recorder)
      : world_(world), recorder_(recorder) {}

  void add(const TraceStep& step) { steps_.push_back(&step); }
  [[nodiscard]] std::size_t size() const { return steps_.size(); }
  [[nodiscard]] bool last_two_conflict() const { return last_two_[0].conflicts_with(last_two_[1]); }
  // Whether one of them could not happen: another event has taken its place.
  [[nodiscard]] bool is_impossible() const { return impossible_; }

  fakezk::Choice next(const fakezk::Menu& menu) override {
    recorder_.pause();
    const fakezk::Choice choice = find(menu, steps_[taken_]->key);
    fakezk::Footprint& touched = last_two_[taken_ % 2];
    touched.clear();
    recorder_.begin_step(static_cast<std::uint32_t>(taken_), touched);
    ++taken_;
    numbers_drawn_ = 0;
    return choice;
  }
  std::optional<std::uint32_t> last_fault(const fakezk::Menu& menu) override {
    const fakezk::Choice choice = next(menu);
    return choice.fault ? std::optional(choice.index) : std::nullopt;
  }
  std::uint32_t number(std::uint32_t) override {
    const std::vector<DrawnNumber>& drawn = steps_[taken_ - 1]->numbers;
    return numbers_drawn_ < drawn.size() ? drawn[numbers_drawn_++].value : 0;
  }
  std::uint32_t order(std::uint32_t) override { return 0; }
  std::uint32_t shortcut(std::uint32_t) override { return 0; }

 private:
  fakezk::Choice find(const fakezk::Menu& menu, StepKey key) {
    const bool fault = is_fault(key);
    const std::span<const fakezk::Event> events = fault ? menu.faults() : menu.events();
    for (std::uint32_t i = 0; i < events.size(); ++i) {
      if (key_of(events[i], world_.server()) == key) return {fault, i};
    }
    impossible_ = true;
    return {};
  }

  const fakezk::World& world_;
  fakezk::FootprintRecorder& recorder_;
  std::vector<const TraceStep*> steps_;
  std::size_t taken_ = 0;
  std::size_t numbers_drawn_ = 0;
  bool impossible_ = false;
  std::array<fakezk::Footprint, 2> last_two_;
};

}  // namespace

SelfCheck::SelfCheck(fakezk::World& world, Program& program, const ExecutionLimits& limits,
                     fakezk::FootprintRecorder& recorder, const Trace& trace,
                     const Frontier& frontier)
    : world_(world),
      program_(program),
      limits_(limits),
      recorder_(recorder),
      trace_(trace),
      frontier_(frontier) {}

Outcome SelfCheck::run_again(const Schedule& schedule, fakezk::Tracer* tracer) {
  Replay replay(schedule);
  return execute(world_, program_, replay, limits_, tracer);
}

std::optional<Violation> SelfCheck::repeat(const Schedule& schedule, const Outcome& first) {
  return find_nondeterminism(world_, first,
                             [&](fakezk::Tracer* tracer) { return run_again(schedule, tracer); });
}

Violation SelfCheck::where_runs_diverge(const Schedule& schedule) {
  return search::where_runs_diverge(
      world_, [&](fakezk::Tracer* tracer) { return run_again(schedule, tracer); });
}

bool SelfCheck::swappable(std::size_t first) const {
  return trace_.independent(first) && frontier_.could_happen(first, trace_[first + 1].key);
}

SelfCheck::Pair SelfCheck::check_a_pair(std::uint64_t number) {
  if (trace_.size() < 2) return Pair::kNone;
  const std::size_t pairs = trace_.size() - 1;
  const std::size_t start = fakezk::mix(number) % pairs;
  for (std::size_t i = 0; i < pairs; ++i) {
    const std::size_t first = (start + i) % pairs;
    if (swappable(first)) return check_pair(first);
  }
  return Pair::kNone;
}

SelfCheck::Pair SelfCheck::check_pair(std::size_t first) {
  const After swapped = state_after(first, true);
  const After in_order = state_after(first, false);
  if (in_order == swapped) return Pair::kCommutes;
  if (state_after(first, true) != swapped || state_after(first, false) != in_order) {
    return Pair::kNondeterministic;  // The order is not the cause.
  }
  dependence_ = describe(trace_[first].key) +
                (swapped.is == After::Is::kImpossible ? " is not possible after " : ", ") +
                describe(trace_[first + 1].key);
  return Pair::kDependent;
}

// After the steps up to `first` and the next two, in their order or swapped. Whether the two depend
// on each other must not depend on the order that is looked at.
SelfCheck::After SelfCheck::state_after(std::size_t first, bool swapped) {
  Script script(world_, recorder_);
  for (std::size_t i = 0; i < first; ++i) script.add(trace_[i]);
  script.add(trace_[swapped ? first + 1 : first]);
  script.add(trace_[swapped ? first : first + 1]);
  Execution execution(world_, program_, limits_);
  Received received(world_);
  execution.start(&received);
  bool possible = true;
  for (std::size_t i = 0; i < script.size(); ++i) possible = world_.step(script) && possible;
  world_.set_tracer(nullptr);
  recorder_.pause();
  if (!possible || script.is_impossible()) return {After::Is::kImpossible, 0};
  if (script.last_two_conflict()) return {After::Is::kConflict, 0};
  return {After::Is::kState, received.state()};
}

}  // namespace lockstep::search
