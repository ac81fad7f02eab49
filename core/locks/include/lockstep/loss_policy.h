#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep {

// When a grant is lost whose session the server has not (yet) called over: what exclusion a holder
// gets that stops as soon as it is told of the loss.
enum class LossPolicy : std::uint8_t {
  // The default: lost by the client's own clock. It is suspect while the connection is lost, or
  // while its proof of contact (HeldLock::valid_until) ends within a quarter of the session
  // timeout,
  // and lost when that proof ends. Nobody else can have the lock before, on anybody's clock, as
  // long
  // as clocks drift by less than one part in ContactProof::kDriftParts and the process is
  // scheduled.
  kOwnClock,
  // Lost as soon as it would be suspect (as with Curator's StandardConnectionStateErrorPolicy):
  // exclusion as above, with three quarters of the session timeout or more to stop in after a lost
  // connection. Every reconnect costs the lock.
  kOnSuspicion,
  // Lost only when the server says so, or the own znode is gone. Behind a partition the holder
  // stays
  // suspect for as long as it lasts, while somebody else may have the lock: only a fencing token
  // protects. For holders that do so, and want to keep the lock if the session turns out to live.
  kServerNotice,
};

[[nodiscard]] std::string_view name(LossPolicy policy);

}  // namespace lockstep
