#pragma once

#include <memory>
#include <string_view>

#include "lockstep/session.h"
#include "lockstep/task.h"

namespace lockstep::differential {

// One side of the comparison: a ZooKeeper that runs programs one after another, with the faults
// that they inject. It is faster than a support::Lab, because the server and the rig's sessions
// outlive the program, and decides exactly which messages a lost connection loses.
class Rig {
 public:
  Rig() = default;
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;
  virtual ~Rig() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;

  // Called before and after a program. After end(), no session of the program is left.
  virtual void begin() = 0;
  virtual void end() = 0;
  // The number of programs that its server has run.
  [[nodiscard]] virtual int programs() const = 0;
  // Runs a task to its end; throws if it does not end.
  virtual void run(Task<void> task) = 0;

  // A session outside the program with all identities, to inspect the program's effects. It lives
  // at least from begin() to end().
  virtual Task<std::shared_ptr<Session>> inspector() = 0;
  // A new, connected session of a new client.
  virtual Task<std::shared_ptr<Session>> open(Duration session_timeout) = 0;

  // Holds back all replies and events of the server.
  virtual void hold_replies(Session& session) = 0;
  // From now until cut(), sent requests do not arrive.
  virtual void stall(Session& session) = 0;
  // Breaks the connection; all messages in flight are lost.
  virtual void cut(Session& session) = 0;
  // Call after cut(), when the session has noticed: the next attempt to connect gets no answer.
  virtual void keep_away(Session& session) = 0;
  // Returns once such an attempt has begun, so that cut() makes it fail.
  virtual Task<void> attempt(Session& session) = 0;
  // Ends all of the above.
  virtual void let_through(Session& session) = 0;

  // Ends a disconnected session on the server.
  virtual Task<void> kill(Session& session) = 0;
  virtual Task<void> expire(Session& session) = 0;

  static constexpr Duration kLongSessionTimeout = std::chrono::seconds(12);
  // A busy machine suspends threads for less than this; a shorter one would save time.
  static constexpr Duration kShortSessionTimeout = std::chrono::seconds(2);
};

[[nodiscard]] std::unique_ptr<Rig> make_fake_rig();
[[nodiscard]] std::unique_ptr<Rig> make_zookeeper_rig();

}  // namespace lockstep::differential
