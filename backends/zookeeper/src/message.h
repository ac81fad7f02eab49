#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lockstep/acl.h"
#include "lockstep/children.h"
#include "lockstep/clock.h"
#include "lockstep/request.h"
#include "lockstep/stat.h"
#include "lockstep/zookeeper/options.h"

struct _zhandle;

namespace lockstep::zookeeper {

// Identifies one request of a session.
using RequestId = std::uint64_t;

// Messages from the C client's threads to a session, in the order of the events. Bytes are in
// standard strings: Text takes its memory from its thread's pool, and would return it to the pool
// of the loop's thread.

// The result of one operation of a multi.
class OpOutcome {
 public:
  OpOutcome(OpCode op_code, int return_code) : op(op_code), rc(return_code) {}

  OpCode op;
  int rc;
  std::string path;
  Stat stat;
};

class ReplyMessage {
 public:
  ReplyMessage(RequestId request_id, int return_code, TimePoint now)
      : id(request_id), rc(return_code), received(now) {}

  RequestId id;
  int rc;
  TimePoint received;
  std::size_t size = 0;  // Bytes that a read returns.
  bool has_bytes = false;
  Stat stat;
  std::string bytes;  // The path of a create, the data of a read.
  Children children;
  Acl acl;
  std::vector<OpOutcome> outcomes;  // The results of a multi.
};

class WatchMessage {
 public:
  WatchMessage(int event_type, std::string znode, TimePoint now)
      : type(event_type), path(std::move(znode)), received(now) {}

  int type;
  std::string path;
  TimePoint received;
};

class ConnectedMessage {
 public:
  ConnectedMessage(_zhandle* c_handle, const Credentials& session, Duration timeout, TimePoint now)
      : handle(c_handle), credentials(session), session_timeout(timeout), received(now) {}

  _zhandle* handle;
  Credentials credentials;
  Duration session_timeout;
  // The server heard from this client between these times: the handshake was sent after the first
  // and answered before the second.
  TimePoint handshake_not_before{};
  TimePoint received;
};

class AttemptFailedMessage {};
// RetryPolicy has given up finding a server.
class GivenUpMessage {};
class SuspendedMessage {};
class ExpiredMessage {};
class AuthFailedMessage {};
// The C client is gone: this is the last message.
class ClosedMessage {};

using Message =
    std::variant<ReplyMessage, WatchMessage, ConnectedMessage, SuspendedMessage, ExpiredMessage,
                 AttemptFailedMessage, GivenUpMessage, AuthFailedMessage, ClosedMessage>;

}  // namespace lockstep::zookeeper
