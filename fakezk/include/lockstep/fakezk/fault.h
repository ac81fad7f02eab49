#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace lockstep::fakezk {

// What can go wrong on purpose. The names are those of `lockstep hunt --faults`.
enum class FaultKind : std::uint8_t {
  kCut,               // "cut": a connection breaks; a prefix of each direction survives.
  kExpiry,            // "expiry": a session is silent until the server expires it; moves the clock.
  kKillSession,       // "kill-session": an operator ends a session at once.
  kTimer,             // "timer": the earliest timer fires although messages are under way.
  kLateApply,         // "late-apply": a cut; what the server had read is applied later.
  kLag,               // "lag": a replica falls behind.
  kReplicaPartition,  // "replica-partition": a replica loses its leader and goes on serving reads.
  kLeaderChange,      // "leader-change": every connection ends, every session's clock starts again.
};
inline constexpr std::size_t kFaultKinds = 8;

[[nodiscard]] std::string_view name(FaultKind kind);
// The kind called `name`; none if there is no such kind, or none yet.
[[nodiscard]] std::optional<FaultKind> fault_kind(std::string_view name);
// Names that are reserved for kinds that this version does not have.
[[nodiscard]] std::span<const std::string_view> reserved_fault_names();

// How many faults one execution may have: of each kind, and in total.
class FaultPlan {
 public:
  static constexpr std::uint32_t kUnlimited = static_cast<std::uint32_t>(-1);

  // No faults.
  FaultPlan() = default;
  // Every kind, `total` faults at most.
  static FaultPlan all(std::uint32_t total);

  void allow(FaultKind kind, std::uint32_t most = kUnlimited) {
    most_[static_cast<std::size_t>(kind)] = most;
  }
  void set_total(std::uint32_t total) { total_ = total; }

  [[nodiscard]] std::uint32_t most(FaultKind kind) const {
    return most_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] std::uint32_t total() const { return total_; }
  [[nodiscard]] bool any() const;

  friend bool operator==(const FaultPlan&, const FaultPlan&) = default;

 private:
  std::array<std::uint32_t, kFaultKinds> most_{};
  std::uint32_t total_ = 0;
};

}  // namespace lockstep::fakezk
