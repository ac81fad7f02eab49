#pragma once

#include <cstdint>
#include <optional>

#include "lockstep/error.h"
#include "lockstep/path.h"
#include "lockstep/request.h"

namespace lockstep {

class Session;
enum class SessionState : std::uint8_t;

// Observes all requests and states of sessions, for metrics and tracing. Called on the session's
// executor, in the middle of other work: must not wait, throw, or use the session. Outlives the
// sessions that it observes. See Client::set_observer().
class SessionObserver {
 public:
  SessionObserver() = default;
  SessionObserver(const SessionObserver&) = delete;
  SessionObserver& operator=(const SessionObserver&) = delete;
  virtual ~SessionObserver() = default;

  // A request is made: it is sent as soon as the client can, or refused by the client, which
  // answered() then reports too. (A multi is one request.)
  virtual void requested(OpCode) {}
  // A request was answered, refused, or has failed without an answer. Not called after its waiter
  // has gone.
  virtual void answered(OpCode, std::optional<Error>) {}
  // From now on, the remains of an acquire or a release are deleted in the background: this znode,
  // or this contender's children of it.
  virtual void cleaning_up(const Path& /*znode*/) {}
  // The server has refused that, for example for the lack of a permission (kNoAuth): the znode
  // stays until the session ends.
  virtual void not_cleaned_up(const Path& /*znode*/, Error) {}
  // The session has changed its state, also by its first connection.
  virtual void state_changed(const Session&, SessionState) {}
};

}  // namespace lockstep
