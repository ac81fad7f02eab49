#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "execution.h"
#include "exhaustive/frontier.h"
#include "exhaustive/received.h"
#include "exhaustive/self_check.h"
#include "exhaustive/tally.h"
#include "exhaustive/trace.h"
#include "lockstep/fakezk/footprint.h"
#include "lockstep/search/exhaustive.h"

namespace lockstep::search {

// A depth-first search of all schedules with certain faults, by running the program again and again
// from its start. As the world's chooser, it repeats the trace so far in each run, and then follows
// its Frontier.
class Exploration final : private fakezk::Chooser, private ExecutionWatcher {
 public:
  enum class End : std::uint8_t { kExhausted, kViolation, kStopped, kDependent };

  // With source sets, exactly `faults` happen, each when the search decides; otherwise any faults
  // that the limits allow may happen.
  Exploration(fakezk::World& world, Program& program, const ExhaustiveOptions& options,
              const ExecutionLimits& limits, FaultsToHappen faults, Tally& tally);
  Exploration(const Exploration&) = delete;
  Exploration& operator=(const Exploration&) = delete;
  ~Exploration() override;

  End run();

  // The last execution, or what it has shown.
  [[nodiscard]] const Found& found() const { return found_; }
  // Every fault that could have happened somewhere, if the search looks for others.
  [[nodiscard]] std::vector<Fault> faults_seen() const { return frontier_.faults_seen(); }
  [[nodiscard]] const std::string& dependence() const { return self_check_.dependence(); }

 private:
  // The state of a run, or how it ended.
  enum class Run : std::uint8_t {
    kWhole,     // It ran to its end.
    kHalf,      // It was broken off: everything from here on is known.
    kCut,       // It is too long, and continues with the default schedule.
    kDiverged,  // It was broken off: it has diverged from an earlier run.
    kMissing,   // It ended before all of its faults could happen.
  };

  // Chooser and ExecutionWatcher: called while a schedule runs.
  fakezk::Choice next(const fakezk::Menu& menu) override;
  std::optional<std::uint32_t> last_fault(const fakezk::Menu& menu) override;
  std::uint32_t number(std::uint32_t options) override;
  std::uint32_t order(std::uint32_t) override { return 0; }
  std::uint32_t shortcut(std::uint32_t) override { return 0; }
  bool goes_on() override { return !broken_off(); }
  bool is_judged(const Execution& execution) override;

  [[nodiscard]] bool reduces() const { return options_.reduction != Reduction::kNone; }
  [[nodiscard]] bool by_source() const { return options_.reduction == Reduction::kSource; }
  [[nodiscard]] bool broken_off() const { return run_ != Run::kWhole && run_ != Run::kCut; }

  void run_once();
  fakezk::Choice known_step(const fakezk::Menu& menu);
  fakezk::Choice new_step(const fakezk::Menu& menu);
  fakezk::Choice take(TraceStep& step);
  void record(TraceStep& step);
  [[nodiscard]] Run how_it_ended() const;

  void order_steps();
  void count();
  void count_trace();
  void measure();
  // Checks the claims of the search that are due in this run.
  std::optional<End> check();
  bool check_determinism();
  void report_nondeterminism(Violation violation);
  [[nodiscard]] bool wants_to_stop() const;

  fakezk::World& world_;
  Program& program_;
  const ExhaustiveOptions& options_;
  const ExecutionLimits& limits_;
  Tally& tally_;
  fakezk::FootprintRecorder recorder_;
  Trace trace_;
  Frontier frontier_;
  SelfCheck self_check_;
  Received received_;

  Run run_ = Run::kWhole;
  std::size_t depth_ = 0;  // States reached in this run.
  std::size_t numbers_drawn_ = 0;
  std::uint64_t final_state_ = 0;  // The hash after the last complete execution.
  Found found_;
};

}  // namespace lockstep::search
