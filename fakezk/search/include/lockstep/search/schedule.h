#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/fakezk/chooser.h"
#include "lockstep/fakezk/fault.h"
#include "lockstep/fakezk/world.h"

namespace lockstep::search {

class StepChecks;
struct ReplayString;

// A schedule consists of its differences from the default schedule: a sparse list of deviations, by
// position. Every list is a valid schedule, and the empty one is the default schedule.
class Replay final : public fakezk::Chooser {
 public:
  explicit Replay(const std::vector<fakezk::Deviation>& deviations) : deviations_(deviations) {}
  fakezk::Choice next(const fakezk::Menu&) override;
  std::optional<std::uint32_t> last_fault(const fakezk::Menu&) override;
  std::uint32_t number(std::uint32_t options) override;
  // Follows the default schedule from the first step on whose check is not the recorded one. `now`
  // collects the checks of this execution. Both outlive it.
  void follow_only(const ReplayString& recorded, const StepChecks& now) {
    recorded_ = &recorded;
    now_ = &now;
  }

 private:
  [[nodiscard]] fakezk::Choice at_this_position();
  [[nodiscard]] bool diverged();

  const std::vector<fakezk::Deviation>& deviations_;
  std::size_t next_deviation_ = 0;
  std::uint32_t position_ = 0;
  const ReplayString* recorded_ = nullptr;
  const StepChecks* now_ = nullptr;
  std::size_t same_ = 0;  // Steps that are as recorded.
};

// Everything that is needed to run one execution again, as one word that needs no quoting in a
// shell:
//
//   lockstep1/<scenario>/c<clients>r<rounds>/<faults>/<deviations>/<trace hash>.<checks>
//
//   <faults>      "none", or b<total>: and the kinds, each with an optional cap: b2:cut,expiry:1
//   <deviations>  "calm", or <position>.<choice> separated by commas; F marks a fault: 12.2,19.F1
//   <checks>      one byte in hex per step: a rolling hash that names the first step that differs;
//                 of very long executions only the first ones (kMostChecks), followed by a +
//
// "unknown" in the place of hash and checks marks an execution that died before it could report
// them.
struct ReplayString {
  // A very long execution is a loop, and this many steps show where it began.
  static constexpr std::size_t kMostChecks = 1000;

  std::string scenario;
  std::uint32_t clients = 0;
  std::uint32_t rounds = 0;
  fakezk::FaultPlan faults;
  std::vector<fakezk::Deviation> deviations;
  bool known = true;
  std::uint64_t trace_hash = 0;
  std::vector<std::uint8_t> checks;
  bool goes_on = false;  // The execution has more steps than checks.

  // Keeps those checks of a whole execution that belong in the string.
  void keep(std::vector<std::uint8_t> all_checks);
  [[nodiscard]] std::string text() const;
  // The first step, counted from 1, in which another execution of this schedule differs; its last
  // step if all steps are alike, because then the step's consequences or the verdict differ.
  [[nodiscard]] std::uint32_t first_difference(const ReplayString& now) const;
  // Returns an empty string, or an explanation of the error in `text`; then `into` is unchanged.
  [[nodiscard]] static std::string parse(std::string_view text, ReplayString& into);

  friend bool operator==(const ReplayString&, const ReplayString&) = default;
};

// Deviations in the form of ReplayString.
[[nodiscard]] std::string format_deviations(const std::vector<fakezk::Deviation>& deviations);
// The faults of a plan in the form of ReplayString, and back (an empty string if well-formed,
// otherwise an explanation of the error).
[[nodiscard]] std::string format_faults(const fakezk::FaultPlan& plan);
// A list of kinds with optional caps, "cut,expiry:1"; "all"; "none".
[[nodiscard]] std::string parse_fault_kinds(std::string_view text, fakezk::FaultPlan& into);

// Collects the checks of a replay string while an execution runs.
class StepChecks final : public fakezk::Tracer {
 public:
  explicit StepChecks(const fakezk::World& world) : world_(world) {}
  void step(const fakezk::Step& step) override;
  void note(std::uint32_t, std::string_view) override {}
  // One byte per step that has begun.
  [[nodiscard]] const std::vector<std::uint8_t>& checks() const { return checks_; }

 private:
  const fakezk::World& world_;
  std::vector<std::uint8_t> checks_;
};

}  // namespace lockstep::search
