#pragma once

#include <string_view>

#include "lockstep/internal/language.h"

namespace lockstep {

// An expected failure, as a value. The negative codes are ZooKeeper's own, one to one (ZOO_ERRORS
// in zookeeper.h), so that a log line can be looked up in ZooKeeper's manual; the positive ones are
// this library's and never travel over the wire.
enum class Error : int {
  kSystemError = -1,
  kRuntimeInconsistency = -2,
  kDataInconsistency = -3,
  kConnectionLoss = -4,
  kMarshallingError = -5,
  kUnimplemented = -6,
  kOperationTimeout = -7,
  kBadArguments = -8,
  kInvalidState = -9,
  kNoNode = -101,
  kNoAuth = -102,
  kBadVersion = -103,
  kNoChildrenForEphemerals = -108,
  kNodeExists = -110,
  kNotEmpty = -111,
  kSessionExpired = -112,
  kInvalidCallback = -113,
  kInvalidAcl = -114,
  kAuthFailed = -115,
  kClosing = -116,
  kNothing = -117,
  kSessionMoved = -118,
  kNotReadOnly = -119,
  kNoWatcher = -121,
  kQuotaExceeded = -125,  // The server enforces quotas (3.7 and later).
  kThrottledOp = -127,    // Not executed: the server limits its load. See is_transient().
  kTimedOut = 1,          // The caller's deadline passed before the operation resolved.
  kCancelled = 2,         // The caller's stop token was triggered before the operation resolved.
  kConflict = 3,          // A contender is in the way, and the call does not wait.
  kRevoked = 4,           // Another client asked for the lock, and the grace period is over.
  kNotConnected = 5,      // The caller's deadline passed before any server was connected.
  kContactLost = 6,     // The client can no longer be sure that its session lives: see LossPolicy.
  kWatchLimit = 7,      // The session may set no more watches; the read was not sent.
  kPacketTooLarge = 8,  // Not sent: it is longer than servers read (SessionOptions::packet_limit).
};

// True if the request may or may not have been applied: the reply was lost, not the request
// (semantics of ZCONNECTIONLOSS and ZOPERATIONTIMEOUT). Retrying is safe for reads only.
[[nodiscard]] constexpr bool outcome_unknown(Error error) {
  return error == Error::kConnectionLoss || error == Error::kOperationTimeout;
}

// True if the same request may be made again, sooner or later: its outcome is unknown, or it was
// not executed because the server limits its load (KeeperException.Code.THROTTLEDOP, which
// FinalRequestProcessor answers when RequestThrottler.shouldThrottleOp says so). See Retry.
[[nodiscard]] constexpr bool is_transient(Error error) {
  return outcome_unknown(error) || error == Error::kThrottledOp;
}

// True if the request that ended so may have been applied, or may be yet.
[[nodiscard]] constexpr bool may_be_applied(Error error) {
  return outcome_unknown(error) || error == Error::kTimedOut || error == Error::kCancelled;
}

// True if the session can never be used again: its ephemerals are gone or about to go.
[[nodiscard]] constexpr bool session_is_over(Error error) {
  return error == Error::kSessionExpired || error == Error::kAuthFailed ||
         error == Error::kClosing || error == Error::kInvalidState;
}

// ZooKeeper's name of the error in lower case words ("connection loss"). Never empty.
[[nodiscard]] std::string_view name(Error error);

}  // namespace lockstep
