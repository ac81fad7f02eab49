#pragma once

#include <memory>

#include "lockstep/context.h"
#include "lockstep/result.h"
#include "lockstep/session.h"
#include "lockstep/task.h"

namespace lockstep {

class SessionObserver;

// One process that uses ZooKeeper: it knows how to open sessions and opens the next one when the
// old one is over. Belongs to one executor.
class Client {
 public:
  Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  virtual ~Client() = default;

  // The current session if it is alive, otherwise a new one; waits until it is connected.
  // Errors: kTimedOut, kCancelled, and what ended a session while it was being opened.
  // Holding the pointer keeps the session object, not the session, alive.
  virtual Task<Result<std::shared_ptr<Session>>> session(Context context) = 0;

  [[nodiscard]] virtual Executor& executor() const = 0;

  // Told what the sessions do that this client opens from now on; outlives them.
  void set_observer(SessionObserver* observer) noexcept { observer_ = observer; }

 protected:
  [[nodiscard]] SessionObserver* observer() const noexcept { return observer_; }

 private:
  SessionObserver* observer_ = nullptr;
};

}  // namespace lockstep
