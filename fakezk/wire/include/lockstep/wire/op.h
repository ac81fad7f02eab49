#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::wire {

// The operations and their numbers (ZooDefs.OpCode in ZooKeeper's source).
enum class Op : std::int32_t {
  kNotification = 0,
  kCreate = 1,
  kDelete = 2,
  kExists = 3,
  kGetData = 4,
  kSetData = 5,
  kGetAcl = 6,
  kSetAcl = 7,
  kGetChildren = 8,
  kSync = 9,
  kPing = 11,
  kGetChildren2 = 12,
  kCheck = 13,
  kMulti = 14,
  kCreate2 = 15,
  kReconfig = 16,
  kCheckWatches = 17,
  kRemoveWatches = 18,
  kCreateContainer = 19,
  kDeleteContainer = 20,  // The leader's own; no client can use it.
  kCreateTtl = 21,
  kMultiRead = 22,
  kAuth = 100,
  kSetWatches = 101,
  kSasl = 102,
  kGetEphemerals = 103,
  kGetAllChildrenNumber = 104,
  kSetWatches2 = 105,
  kAddWatch = 106,
  kWhoAmI = 107,
  kCloseSession = -11,
  kError = -1,  // Only among the results of a multi.
};

// ZooKeeper's name; empty if there is no such operation.
[[nodiscard]] std::string_view name(Op op);

// The xids that say what a message is, instead of counting requests.
inline constexpr std::int32_t kEventXid = -1;
inline constexpr std::int32_t kPingXid = -2;
inline constexpr std::int32_t kAuthXid = -4;
inline constexpr std::int32_t kSetWatchesXid = -8;

}  // namespace lockstep::wire
