#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "lockstep/context.h"
#include "lockstep/result.h"
#include "lockstep/session.h"
#include "lockstep/task.h"

namespace lockstep {

class SessionObserver;

// A session, and a reservation of room for its future watches.
class SessionRoom {
 public:
  // Without a reservation.
  explicit SessionRoom(std::shared_ptr<Session> session) : session_(std::move(session)) {}
  // With a reservation that ends when the last copy of `room` is destroyed.
  SessionRoom(std::shared_ptr<Session> session, std::shared_ptr<void> room)
      : session_(std::move(session)), room_(std::move(room)) {}

  [[nodiscard]] const std::shared_ptr<Session>& session() const { return session_; }
  [[nodiscard]] bool is_set_aside() const { return room_ != nullptr; }

 private:
  std::shared_ptr<Session> session_;
  std::shared_ptr<void> room_;
};

// One process that uses ZooKeeper: it opens sessions, and opens the next one when the old one is
// over. Belongs to one executor.
class Client {
 public:
  Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  virtual ~Client() = default;

  // The current session if it is alive, otherwise a new one; waits until it is connected. If the
  // current one turns out to have expired meanwhile, the wait goes on for the next one. Errors:
  //   kNotConnected               there is no connection when the context's deadline, or the time
  //                               that the client's options allow, has passed, whether there never
  //                               was one or it was lost (last_failure() has the reason)
  //   kCancelled                  the context's stop token is stopped
  //   kBadArguments               the client's options are malformed
  //   kUnimplemented              they ask for something that the backend was built without
  //   kAuthFailed, kClosing,      the session ended so while it was being opened; kSessionExpired
  //   kSessionExpired             only if the client attaches to a session
  // Holding the pointer keeps the session object, not the session, alive.
  virtual Task<Result<std::shared_ptr<Session>>> session(Context context) = 0;

  // Why the latest attempt to connect has failed, for people ("127.0.0.1:2181: Connection refused",
  // "no-such-host: the name does not resolve: Name or service not known"), or what it still waits
  // for ("127.0.0.1:2181: has not answered yet"); empty if neither is known. On the executor only.
  [[nodiscard]] virtual std::string last_failure() const { return {}; }

  // For one of many contenders: a session with room for `bytes` more of watched paths, which may
  // differ from the one of session(). A client with several sessions reserves the room at once,
  // before it waits for a connection, so that contenders that start together spread over the
  // sessions. There is no reservation if there is no limit, or if no other session may be opened.
  // Errors: those of session(). Resumes on the client's executor.
  virtual Task<Result<SessionRoom>> session_with_room(std::size_t bytes, Context context);

  [[nodiscard]] virtual Executor& executor() const = 0;

  // Observes the sessions that this client opens from now on; `observer` outlives them.
  void set_observer(SessionObserver* observer) noexcept { observer_ = observer; }

 protected:
  [[nodiscard]] SessionObserver* observer() const noexcept { return observer_; }
  // Whether session() opens another session, after its wait for one in state `found` has ended with
  // `error`. A session that never was connected has not expired: the server has rejected its
  // credentials.
  [[nodiscard]] static bool opens_another(SessionState found, Error error) noexcept {
    return found == SessionState::kSuspended && error == Error::kSessionExpired;
  }
  // The error of session() after its wait for the connection has ended with `error`.
  [[nodiscard]] static Error why_no_session(Error error) noexcept {
    return error == Error::kTimedOut ? Error::kNotConnected : error;
  }

 private:
  SessionObserver* observer_ = nullptr;
};

}  // namespace lockstep
