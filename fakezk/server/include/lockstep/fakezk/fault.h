#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep::fakezk {

// What can go wrong on purpose. One fault is one event of the schedule, and nothing in it is beyond
// what a real ensemble and real machines could do.
//
//   name               | one fault                                           | strikes
//   cut                | a connection breaks; a prefix of what is under way  | an open connection
//                      | survives in each direction                          |
//   expiry             | nothing is heard of a session until the server      | a living session
//                      | expires it; the clock moves there, and timers that  |
//                      | are due on the way fire                             |
//   kill-session       | an operator ends a session, no time passes          | a living session
//   timer              | the earliest timer fires, messages still under way  | if there is a timer
//   late-apply         | a cut; writes that the server had read are applied  | writes under way
//                      | later                                               |
//   lag                | a replica applies what is committed entry by entry, | several replicas
//                      | each an event of its own                            |
//   replica-partition  | a replica loses its leader and serves reads until   | several replicas
//                      | the sync limit                                      |
//   leader-change      | every connection ends, every session's clock starts | several replicas
//                      | again, a new epoch begins                           |
//   stall              | a process executes nothing (no deliveries, no       | a process that runs
//                      | timers, no pings) until it wakes, which is an event |
//                      | of its own; the clock goes on meanwhile, by at most |
//                      | World::kLongestStall, so its session may expire     |
//   crash              | a process dies: its tasks are destroyed and nothing | a process that runs,
//                      | that they would still send is sent, the server has  | if its program can
//                      | accepted a prefix of what they had sent, and its    | start it again
//                      | sessions fall silent; it is started again at once   |
//   clock-drift        | from now on a process's clock is slow, or fast, by  | a process that runs
//                      | one part in kDriftParts                             |
//   foreign-delete     | an operator deletes an ephemeral znode              | an ephemeral znode
//   parent-removal     | the servers reap a container that has had children  | such a container
//                      | and has none now                                    |
//   sequence-overflow  | a parent's counter stands 0 to 3 creates from where | a parent that has
//                      | sequence numbers end, as if others had used them up | had children
//   forgotten-writes   | a leader-change after which the newest writes that   | several replicas,
//                      | the servers had acknowledged never happened         | newest writes
//
// The last one breaks ZooKeeper's promises, as servers before 3.8.5 and 3.9.2 can (Z119), and no
// lock is correct under it: a plan has it only if it is named.
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
  kForgottenWrites,
};
inline constexpr std::size_t kFaultKinds = 15;

// How much faster or slower a clock runs at most, in parts. The recipes' margins cover more.
inline constexpr int kDriftParts = 64;

// A set of kinds, one bit each.
using FaultKinds = std::uint32_t;
[[nodiscard]] constexpr FaultKinds bit(FaultKind kind) {
  return FaultKinds{1} << static_cast<unsigned>(kind);
}
inline constexpr FaultKinds kEveryFaultKind = (FaultKinds{1} << kFaultKinds) - 1;
// Those that a plan has only if they are named.
inline constexpr FaultKinds kNamedFaultKinds = bit(FaultKind::kForgottenWrites);
// "all": everything that keeps ZooKeeper's promises.
inline constexpr FaultKinds kAllFaultKinds = kEveryFaultKind & ~kNamedFaultKinds;

// Those that need several replicas.
inline constexpr FaultKinds kEnsembleFaults =
    bit(FaultKind::kLag) | bit(FaultKind::kReplicaPartition) | bit(FaultKind::kLeaderChange) |
    bit(FaultKind::kForgottenWrites);

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
  FaultKinds kinds_ = 0;  // Of which there may be any.
  std::uint32_t total_ = 0;
};

}  // namespace lockstep::fakezk
