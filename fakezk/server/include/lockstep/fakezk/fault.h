#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "lockstep/fakezk/path_table.h"

namespace lockstep::fakezk {

// The kinds of things that can go wrong on purpose. One fault is one event of the schedule, and
// nothing in it is beyond what a real ensemble and real machines could do. Each kind has a file in
// fakezk/server/src/faults that says what it is, where it can strike and what it does;
// docs/faults.md has them as a table.
enum class FaultKind : std::uint8_t {
  kCut,
  kExpiry,
  kKillSession,
  kTimer,
  kLateApply,
  kLag,
  kReplicaPartition,
  kLeaderChange,
  kStall,
  kCrash,
  kClockDrift,
  kForeignDelete,
  kParentRemoval,
  kSequenceOverflow,
  // From here on: kinds that break ZooKeeper's promises. A plan has them only if they are named.
  kForgottenWrites,
};
inline constexpr FaultKind kFirstNamedFault = FaultKind::kForgottenWrites;
inline constexpr FaultKind kLastFault = FaultKind::kForgottenWrites;
inline constexpr std::size_t kFaultKinds = static_cast<std::size_t>(kLastFault) + 1;

// A drifting clock is fast or slow by one part in this many. The recipes' margins cover more.
inline constexpr int kDriftParts = 64;

// A set of kinds, one bit each.
using FaultKinds = std::uint32_t;
[[nodiscard]] constexpr FaultKinds bit(FaultKind kind) {
  return FaultKinds{1} << static_cast<unsigned>(kind);
}
inline constexpr FaultKinds kEveryFaultKind = (FaultKinds{1} << kFaultKinds) - 1;
// "all": everything that keeps ZooKeeper's promises.
inline constexpr FaultKinds kAllFaultKinds = bit(kFirstNamedFault) - 1;
// Those that a plan has only if they are named.
inline constexpr FaultKinds kNamedFaultKinds = kEveryFaultKind & ~kAllFaultKinds;

class Server;

// The requirement that a kind of fault has of a program.
enum class FaultNeed : std::uint8_t { kNothing, kReplicas, kRestarter };

struct FaultFacts {
  std::string_view name;     // Its name in --faults.
  std::string_view effect;   // The rest is for docs/faults.md, and can be read by itself:
  std::string_view strikes;  // what one fault does, and where it can strike.
  FaultNeed needs = FaultNeed::kNothing;
  // The parent that the index of an event stands for; null if an index is no position among paths.
  PathId (*parent)(const Server& server, std::uint32_t index) = nullptr;
};
[[nodiscard]] const FaultFacts& facts(FaultKind kind);
// The kinds that need this.
[[nodiscard]] FaultKinds faults_that_need(FaultNeed need);
// Why a kind that needs this cannot strike in a program without it: "there is one server".
[[nodiscard]] std::string_view why_impossible(FaultNeed need);

[[nodiscard]] std::string_view name(FaultKind kind);
// The kind called `name`; none if there is no such kind.
[[nodiscard]] std::optional<FaultKind> fault_kind(std::string_view name);

// How many faults one execution may have: of each kind, and in total.
class FaultPlan {
 public:
  static constexpr std::uint32_t kUnlimited = static_cast<std::uint32_t>(-1);

  // No faults.
  FaultPlan() = default;
  // kAllFaultKinds, `total` faults at most.
  static FaultPlan all(std::uint32_t total);

  void allow(FaultKind kind, std::uint32_t most = kUnlimited) {
    most_[static_cast<std::size_t>(kind)] = most;
    kinds_ = most == 0 ? kinds_ & ~bit(kind) : kinds_ | bit(kind);
  }
  void set_total(std::uint32_t total) { total_ = total; }

  [[nodiscard]] std::uint32_t most(FaultKind kind) const {
    return most_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] std::uint32_t total() const { return total_; }
  [[nodiscard]] bool any() const;
  [[nodiscard]] FaultKinds kinds() const { return kinds_; }

  friend bool operator==(const FaultPlan&, const FaultPlan&) = default;

 private:
  std::array<std::uint32_t, kFaultKinds> most_{};
  FaultKinds kinds_ = 0;  // The kinds of which any may strike.
  std::uint32_t total_ = 0;
};

}  // namespace lockstep::fakezk
