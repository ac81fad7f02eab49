#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "execution.h"
#include "lockstep/fakezk/footprint.h"
#include "lockstep/search/exhaustive.h"

namespace lockstep::search {

// A kind of step that can happen at most once at a time, whatever else happens: a request of this
// link is applied, that session is cut off. If it happens again later, under the same key, that is
// the next step of the same source.
using StepKey = std::uint64_t;

// The choice that nothing happens any more, although a fault could.
inline constexpr StepKey kTheEnd = static_cast<StepKey>(-1);

[[nodiscard]] StepKey key_of(const fakezk::Event& event, const fakezk::Server& server);
[[nodiscard]] bool is_fault(StepKey key);
[[nodiscard]] bool is_timer(StepKey key);
[[nodiscard]] bool is_wake(StepKey key);
[[nodiscard]] fakezk::FaultKind fault_of(StepKey key);
// True if the step concerns a znode, which the key identifies by the number of its path.
[[nodiscard]] bool is_about_path(StepKey key);
[[nodiscard]] std::string describe(StepKey key);

// The numbers that a step has drawn; the same key with other numbers is another step.
struct DrawnNumber {
  std::uint32_t value;
  std::uint32_t options;
};

// A step that has been searched from an earlier state and commutes with all that has happened
// since: the executions that it would begin now are known.
struct Sleeping {
  StepKey key;
  std::vector<std::uint32_t> numbers;
  std::uint32_t variants;  // How many there were of this key, with different numbers.
  fakezk::Footprint footprint;
};

// A state on the current path, and the step that is taken from it.
struct Node {
  struct Option {
    StepKey key;
    fakezk::Choice choice;
  };

  void reuse();
  [[nodiscard]] const Option* find(StepKey wanted) const;
  [[nodiscard]] bool is_done(StepKey wanted) const;
  // True if every variant of this step sleeps.
  [[nodiscard]] bool asleep(StepKey wanted) const;
  // Source sets: adds everything that can happen here to `backtrack`.
  void try_everything();
  // True if exactly the step taken, with its numbers, slept when the state was reached.
  [[nodiscard]] bool took_what_slept() const;

  std::vector<Option> enabled;
  std::vector<Sleeping> sleep;
  std::size_t inherited = 0;       // The first ones of `sleep`, from the states before.
  std::vector<StepKey> backtrack;  // Source sets: the steps still to be tried from here.
  std::vector<StepKey> done;
  StepKey key = 0;  // The step taken.
  fakezk::Choice choice;
  std::vector<DrawnNumber> numbers;
  fakezk::Footprint footprint;
  std::uint32_t sender = fakezk::FootprintRecorder::kNoStep;
  // The trace hash at which every run that comes here reaches the state.
  std::uint64_t hash = 0;
};

// A depth-first search of all schedules with certain faults, by running the program again and again
// from its start.
class Exploration final : private fakezk::Chooser, private fakezk::Tracer {
 public:
  // The sums of the search, over all explorations.
  struct Tally {
    std::uint64_t traces = 0;
    std::uint64_t executions = 0;
    std::uint64_t steps = 0;
    std::uint64_t trace_hash = 0;
    std::uint64_t trace_set_hash = 0;
    std::set<std::uint64_t> known;  // Without a reduction: the traces so far.
    std::uint64_t pairs_checked = 0;
    std::uint64_t cut = 0;      // Executions that were longer than `deepest`.
    bool repeats = false;       // Run the next whole execution twice.
    std::uint32_t deepest = 0;  // Steps up to which schedules branch; 0: not known yet.
    std::set<std::uint64_t> final_states;
  };
  enum class End : std::uint8_t { kExhausted, kViolation, kStopped, kDependent };

  // With source sets, exactly `faults` happen, each when the search says so; otherwise any that the
  // limits allow may happen.
  Exploration(fakezk::World& world, Program& program, const ExhaustiveOptions& options,
              const ExecutionLimits& limits, std::vector<StepKey> faults, Tally& tally);
  Exploration(const Exploration&) = delete;
  Exploration& operator=(const Exploration&) = delete;
  ~Exploration() override;

  End run();

  // The last execution, or what it has shown.
  [[nodiscard]] const Found& found() const { return found_; }
  // Every fault that could have happened somewhere.
  [[nodiscard]] const std::set<StepKey>& faults_seen() const { return faults_seen_; }
  [[nodiscard]] const std::string& dependence() const { return dependence_; }

 private:
  // Chooser and Tracer: called by the world while a schedule runs.
  fakezk::Choice next(const fakezk::Menu& menu) override;
  std::optional<std::uint32_t> last_fault(const fakezk::Menu& menu) override;
  std::uint32_t number(std::uint32_t options) override;
  std::uint32_t order(std::uint32_t) override { return 0; }
  std::uint32_t shortcut(std::uint32_t) override { return 0; }
  void step(const fakezk::Step& step) override;
  void note(std::uint32_t, std::string_view) override {}

  [[nodiscard]] bool reduces() const { return options_.reduction != Reduction::kNone; }
  [[nodiscard]] bool by_source() const { return options_.reduction == Reduction::kSource; }

  // How a run ended.
  enum class Ran : std::uint8_t { kComplete, kHalf, kCut, kViolation };
  Ran run_once();
  void begin_run();
  void execute_program();
  void end_run();
  void measure();
  // False if a program does not always go the same way; found() then says so.
  bool check_determinism(Ran ran);
  // Runs the schedule of found() once more, as every replay of it will.
  Outcome run_again(fakezk::Tracer* tracer);
  void not_deterministic(Violation violation);
  void count(Ran ran);
  // Hashes what can be seen of the world, and what each process has received.
  [[nodiscard]] std::uint64_t state() const;
  fakezk::Choice take(Node& node);
  fakezk::Choice next_of_script(const fakezk::Menu& menu);
  void list(const fakezk::Menu& menu, Node& node);
  void inherit_sleep(Node& node);
  bool pick_first(Node& node);
  [[nodiscard]] bool all_faults_happened() const;

  // The next schedule; false if there is none.
  bool backtrack();
  bool next_variant(Node& node);
  bool next_key(Node& node);
  void put_to_sleep(Node& node);
  void close_key(Node& node);

  void order_steps(bool ended);
  void add_disabled(std::size_t step, bool ended);
  void order_step(std::size_t later);
  void identify(std::size_t step);
  [[nodiscard]] std::uint64_t label(const Node& node) const;
  // The same for all orders of one trace.
  [[nodiscard]] std::uint64_t trace_identity() const;
  void count_trace();
  void add_reversal(std::size_t earlier, std::size_t later);
  [[nodiscard]] bool depends(std::size_t earlier, std::size_t later) const;
  [[nodiscard]] bool before(std::size_t earlier, std::size_t later) const;

  // Tries a pair of adjacent independent steps in both orders; false if that made a difference.
  bool check_a_pair();
  [[nodiscard]] bool swappable(std::size_t first) const;
  std::optional<std::uint64_t> state_after(std::size_t first, bool swapped);

  fakezk::World& world_;
  Program& program_;
  const ExhaustiveOptions& options_;
  const ExecutionLimits& limits_;
  std::vector<StepKey> faults_;  // Sorted; a key may be there twice.
  Tally& tally_;
  fakezk::FootprintRecorder recorder_;
  std::vector<Node> nodes_;  // Reused; only the first length_ are valid.
  std::size_t length_ = 0;
  std::size_t fresh_ = 0;  // The first state whose step is new in this run.
  std::size_t depth_ = 0;  // States reached in this run.
  std::size_t numbers_drawn_ = 0;
  bool half_ = false;     // Nothing new begins here.
  bool cut_ = false;      // It is too long, and continues calmly.
  bool parted_ = false;   // It has not gone the same way as before.
  bool missing_ = false;  // It has ended before all of its faults could happen.
  fakezk::Footprint ignored_;
  std::vector<std::vector<std::uint64_t>> before_;  // By step: the steps it depends on, as bits.
  std::vector<std::uint64_t> identity_;  // By step: the step, and all that comes before it.
  std::vector<std::uint64_t> received_;  // By process: a hash of all it has received.
  std::uint64_t final_state_ = 0;        // The final state of the last complete execution.
  std::set<StepKey> faults_seen_;
  Found found_;
  std::optional<Execution> execution_;  // Clearing away a half one may still report.
  std::string dependence_;
  // A fixed schedule instead of the search's.
  std::vector<const Node*> script_;
  bool scripted_ = false;
  std::array<fakezk::Footprint, 2> last_two_;  // The footprints of its last two steps.
};

}  // namespace lockstep::search
