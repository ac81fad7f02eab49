#pragma once

#include <cstdint>
#include <optional>

#include "lockstep/error.h"
#include "lockstep/path.h"
#include "lockstep/request.h"

namespace lockstep {

class Session;
enum class SessionState : std::uint8_t;

// Hears what a session does, whoever asks it to: for metrics and tracing. Called on the session's
// executor, in the middle of things: must not wait, throw, or use the session. Outlives the
// sessions that it observes. See Client::set_observer().
class SessionObserver {
 public:
  SessionObserver() = default;
  SessionObserver(const SessionObserver&) = delete;
  SessionObserver& operator=(const SessionObserver&) = delete;
  virtual ~SessionObserver() = default;

  // A request is on its way. (A multi is one request.)
  virtual void requested(OpCode) {}
  // Its answer is there, or the news that there will be none. Not told if nobody waits any more.
  virtual void answered(OpCode, std::optional<Error>) {}
  // What an acquire or a release has left behind is deleted in the background from now on: that
  // znode, or the children of it that are ours.
  virtual void cleaning_up(const Path& /*znode*/) {}
  // Also when it connects for the first time.
  virtual void state_changed(const Session&, SessionState) {}
};

}  // namespace lockstep
