// The table of the faults: one entry for each, in the order in which a menu lists them.
#include <algorithm>
#include <array>
#include <utility>

#include "faults/fault.h"

namespace lockstep::fakezk {

extern const Fault kCutFault;
extern const Fault kExpiryFault;
extern const Fault kKillSessionFault;
extern const Fault kForeignDeleteFault;
extern const Fault kTimerFault;
extern const Fault kLateApplyFault;
extern const Fault kLagFault;
extern const Fault kReplicaPartitionFault;
extern const Fault kLeaderChangeFault;
extern const Fault kStallFault;
extern const Fault kCrashFault;
extern const Fault kClockDriftFault;
extern const Fault kParentRemovalFault;
extern const Fault kSequenceOverflowFault;
extern const Fault kForgottenWritesFault;

namespace {

constexpr std::array<ListedFault, kFaultKinds> kListed = {
    {{FaultKind::kCut, &kCutFault},
     {FaultKind::kExpiry, &kExpiryFault},
     {FaultKind::kKillSession, &kKillSessionFault},
     {FaultKind::kForeignDelete, &kForeignDeleteFault},
     {FaultKind::kTimer, &kTimerFault},
     {FaultKind::kLateApply, &kLateApplyFault},
     {FaultKind::kLag, &kLagFault},
     {FaultKind::kReplicaPartition, &kReplicaPartitionFault},
     {FaultKind::kLeaderChange, &kLeaderChangeFault},
     {FaultKind::kStall, &kStallFault},
     {FaultKind::kCrash, &kCrashFault},
     {FaultKind::kClockDrift, &kClockDriftFault},
     {FaultKind::kParentRemoval, &kParentRemovalFault},
     {FaultKind::kSequenceOverflow, &kSequenceOverflowFault},
     {FaultKind::kForgottenWrites, &kForgottenWritesFault}}};

constexpr std::array<const Fault*, kFaultKinds> kByKind = [] {
  std::array<const Fault*, kFaultKinds> faults{};
  for (const ListedFault& listed : kListed) {
    if (listed.fault) faults[static_cast<std::size_t>(listed.kind)] = listed.fault;
  }
  return faults;
}();
static_assert(std::ranges::find(kByKind, nullptr) == kByKind.end(), "a kind has no entry");

}  // namespace

std::span<const ListedFault, kFaultKinds> listed_faults() { return kListed; }

// Unrolled: the kinds are random, and processors predict one call site with changing targets badly.
FaultKinds possible_among(const World& world, FaultKinds kinds) {
  FaultKinds found = 0;
  const auto look = [&](const ListedFault& listed) {
    if ((kinds & bit(listed.kind)) != 0 && listed.fault->possible(world)) found |= bit(listed.kind);
  };
  [&]<std::size_t... kPlace>(std::index_sequence<kPlace...>) {
    (look(kListed[kPlace]), ...);
  }(std::make_index_sequence<kFaultKinds>());
  return found;
}

const Fault& fault(FaultKind kind) { return *kByKind[static_cast<std::size_t>(kind)]; }

const FaultFacts& facts(FaultKind kind) { return fault(kind); }

}  // namespace lockstep::fakezk
