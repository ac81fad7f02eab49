#pragma once

#include <cstdint>
#include <string_view>

#include "lockstep/internal/language.h"

namespace lockstep {

// When a grant is lost although the server has not (yet) ended the session, and which exclusion
// that gives a holder that stops as soon as it is notified of the loss.
enum class LossPolicy : std::uint8_t {
  // The default: the client's own clock ends the grant. The grant is suspect while the connection
  // is lost, or while its proof of contact (HeldLock::valid_until) ends within a quarter of the
  // session timeout, and lost when that proof ends. No other contender can have the lock before
  // that, on any clock, as long as clocks drift by less than one part in ContactProof::kDriftParts
  // and the process is scheduled. An acquire on a session whose proof has ended first waits for a
  // new one: after the process has not run for a session timeout, that takes a quarter of it. Its
  // error is kContactLost if the deadline passes meanwhile.
  kOwnClock,
  // Lost as soon as it would be suspect (as with Curator's StandardConnectionStateErrorPolicy):
  // exclusion as above, and the holder has a quarter of the session timeout at least in which to
  // stop. Every reconnect costs the lock.
  kOnSuspicion,
  // Lost only when the session is over, which the server says or the client decides when it gives a
  // session up (RetryPolicy), or when the grant's znode is deleted. During a partition the holder
  // stays suspect, while another contender may get the lock: only a fencing token protects. For
  // holders that use one, and want to keep the lock if the session turns out to live.
  kServerNotice,
};

[[nodiscard]] std::string_view name(LossPolicy policy);

}  // namespace lockstep
