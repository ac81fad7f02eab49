#pragma once

#include <memory>
#include <string>

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
  // Errors: kNotConnected if it is not when the context's deadline passes, be it that it never was
  // or that its connection is lost (last_failure() says why); kCancelled; and what ended a session
  // while it was being opened. Holding the pointer keeps the session object, not the session,
  // alive.
  virtual Task<Result<std::shared_ptr<Session>>> session(Context context) = 0;

  // Why the latest attempt to connect has failed, for people ("127.0.0.1:2181: connection refused",
  // "no-such-host: name does not resolve"); empty if none has, or nothing is known. On the executor
  // only.
  [[nodiscard]] virtual std::string last_failure() const { return {}; }

  [[nodiscard]] virtual Executor& executor() const = 0;

  // Told what the sessions do that this client opens from now on; outlives them.
  void set_observer(SessionObserver* observer) noexcept { observer_ = observer; }

 protected:
  [[nodiscard]] SessionObserver* observer() const noexcept { return observer_; }
  // What session() ends with if its wait for the connection has ended with `error`.
  [[nodiscard]] static Error why_no_session(Error error) noexcept {
    return error == Error::kTimedOut ? Error::kNotConnected : error;
  }

 private:
  SessionObserver* observer_ = nullptr;
};

}  // namespace lockstep
