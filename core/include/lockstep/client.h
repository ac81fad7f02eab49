#pragma once

#include <memory>

#include "lockstep/context.h"
#include "lockstep/result.h"
#include "lockstep/session.h"
#include "lockstep/task.h"

namespace lockstep {

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
};

}  // namespace lockstep
