#include "lockstep/error.h"

namespace lockstep {

std::string_view name(Error error) {
  switch (error) {
    case Error::kSystemError: return "system error";
    case Error::kRuntimeInconsistency: return "runtime inconsistency";
    case Error::kDataInconsistency: return "data inconsistency";
    case Error::kConnectionLoss: return "connection loss";
    case Error::kMarshallingError: return "marshalling error";
    case Error::kUnimplemented: return "unimplemented";
    case Error::kOperationTimeout: return "operation timeout";
    case Error::kBadArguments: return "bad arguments";
    case Error::kInvalidState: return "invalid session state";
    case Error::kNoNode: return "no node";
    case Error::kNoAuth: return "not authenticated";
    case Error::kBadVersion: return "bad version";
    case Error::kNoChildrenForEphemerals: return "no children for ephemerals";
    case Error::kNodeExists: return "node exists";
    case Error::kNotEmpty: return "not empty";
    case Error::kSessionExpired: return "session expired";
    case Error::kInvalidCallback: return "invalid callback";
    case Error::kInvalidAcl: return "invalid acl";
    case Error::kAuthFailed: return "authentication failed";
    case Error::kClosing: return "closing";
    case Error::kNothing: return "nothing";
    case Error::kSessionMoved: return "session moved";
    case Error::kNotReadOnly: return "not read only";
    case Error::kNoWatcher: return "no watcher";
    case Error::kQuotaExceeded: return "quota exceeded";
    case Error::kThrottledOp: return "throttled operation";
    case Error::kTimedOut: return "timed out";
    case Error::kCancelled: return "cancelled";
    case Error::kConflict: return "conflict";
    case Error::kRevoked: return "revoked";
    case Error::kNotConnected: return "no connection within the deadline";
    case Error::kContactLost: return "contact lost";
    case Error::kWatchLimit: return "too many bytes of watches on one session";
    case Error::kPacketTooLarge: return "packet too large";
  }
  return "unknown error";
}

}  // namespace lockstep
