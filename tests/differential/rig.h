#pragma once

#include <memory>
#include <string_view>

#include "lockstep/session.h"
#include "lockstep/task.h"

namespace lockstep::differential {

// One side of the comparison: a ZooKeeper on which one program after the other is run, with what a
// program does to it besides using sessions. Quicker than a support::Lab, since the server and the
// sessions of the rig outlive the program, and exact about what a lost connection takes with it.
class Rig {
 public:
  Rig() = default;
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;
  virtual ~Rig() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;

  // Before a program, and after: then all its sessions are over and gone.
  virtual void begin() = 0;
  virtual void end() = 0;
  // Which program of its server this is.
  [[nodiscard]] virtual int programs() const = 0;
  // Runs a task to its end; throws if it never ends.
  virtual void run(Task<void> task) = 0;

  // A session that no program uses, authenticated as everybody, to look at what one did. It lives
  // from begin() to end() at least.
  virtual Task<std::shared_ptr<Session>> inspector() = 0;
  // A new session of a new client, connected.
  virtual Task<std::shared_ptr<Session>> open(Duration session_timeout) = 0;

  // What the server answers stays on the way.
  virtual void hold_replies(Session& session) = 0;
  // From here to cut(), requests that are sent do not arrive.
  virtual void stall(Session& session) = 0;
  // The connection breaks, with everything on the way.
  virtual void cut(Session& session) = 0;
  // After cut(), once the session has noticed: the client's next attempt to connect gets no answer.
  virtual void keep_away(Session& session) = 0;
  // Returns when such an attempt is being made, so that cut() makes it fail.
  virtual Task<void> attempt(Session& session) = 0;
  // Everything passes again.
  virtual void let_through(Session& session) = 0;

  // Ends a session on the server, while it is kept away.
  virtual Task<void> kill(Session& session) = 0;
  virtual Task<void> expire(Session& session) = 0;

  static constexpr Duration kLongSessionTimeout = std::chrono::seconds(12);
  // Longer than a busy machine keeps a thread waiting; shorter costs less.
  static constexpr Duration kShortSessionTimeout = std::chrono::seconds(2);
};

[[nodiscard]] std::unique_ptr<Rig> make_fake_rig();
[[nodiscard]] std::unique_ptr<Rig> make_zookeeper_rig();

}  // namespace lockstep::differential
