#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "lockstep/client.h"
#include "lockstep/session.h"
#include "lockstep/task.h"

namespace lockstep::support {

// The actions of a test on ZooKeeper and on the network, besides using sessions. One implementation
// per backend, one object per test. Tests are coroutines on executor(), written once.
class Lab {
 public:
  // The messages that are lost with a connection.
  enum class Loss : std::uint8_t {
    kRequests,  // The last messages sent never arrive.
    kReplies,   // The last messages sent are applied, but the replies are lost.
  };

  // The password that an attaching client shows.
  enum class Password : std::uint8_t { kRight, kWrong };

  Lab() = default;
  Lab(const Lab&) = delete;
  Lab& operator=(const Lab&) = delete;
  virtual ~Lab() = default;

  // Runs a test to its end; rethrows its exception. Throws if the test never ends.
  virtual void run(Task<void> test) = 0;
  [[nodiscard]] virtual Executor& executor() = 0;

  // A persistent znode that no other test uses. It exists once open() has returned.
  [[nodiscard]] virtual Path parent() const = 0;

  // A new client, which has not opened a session yet. Its paths are below the chroot.
  virtual Client& add_client(Duration session_timeout, const Path& chroot,
                             const SessionOptions& options) = 0;
  Client& add_client(Duration session_timeout, const Path& chroot) {
    return add_client(session_timeout, chroot, SessionOptions());
  }
  Client& add_client(Duration session_timeout) { return add_client(session_timeout, Path()); }
  // A new, connected session of a new client.
  Task<std::shared_ptr<Session>> open(Duration session_timeout = kLongSessionTimeout);
  Task<std::shared_ptr<Session>> open(const SessionOptions& options);

  // A new client that attaches to an existing session instead of opening one. Actions of this lab
  // on the session affect the connection of the client that opened it.
  virtual Client& attach_client(Session& session, Password password, Duration session_timeout) = 0;

  // Breaks the connection and loses everything in flight; the client reconnects by itself.
  virtual void cut(Session& session) = 0;
  // A request is sent between these two calls; `loss` decides its outcome.
  virtual void prepare_loss(Session& session, Loss loss) = 0;
  virtual void lose_connection(Session& session, Loss loss) = 0;

  // Breaks the connection until reconnect(). Returns when the session has noticed.
  virtual Task<void> disconnect(Session& session) = 0;
  virtual Task<void> reconnect(Session& session) = 0;

  // Holds back the server's answers until let_go(); requests arrive and are applied.
  virtual void hold_replies(Session& session) = 0;
  virtual void let_go(Session& session) = 0;
  // Sends the requests made until let_go() together, if the test does not wait in between.
  virtual void gather_requests(Session& session) = 0;

  // An operator ends the session on the server. The session learns of it at its next contact.
  virtual Task<void> kill(Session& session) = 0;
  // Isolates the session until the server has expired it; then the connection works again.
  virtual Task<void> expire(Session& session) = 0;

  // The configuration of the server, and the address where it sees its clients.
  [[nodiscard]] virtual Duration tick_time() const = 0;
  [[nodiscard]] virtual Duration min_session_timeout() const = 0;
  [[nodiscard]] virtual Duration max_session_timeout() const = 0;
  [[nodiscard]] virtual Duration container_check_interval() const = 0;
  [[nodiscard]] virtual std::string client_address() const = 0;
  // How much later than ZooKeeper's own limit a test may observe an action.
  [[nodiscard]] virtual Duration lateness() const = 0;

  // Long enough that nothing expires during a test on any machine, and no longer: the C client
  // pauses for a sixtieth of it between two attempts to connect.
  static constexpr Duration kLongSessionTimeout = std::chrono::seconds(12);
  // For sessions that must expire: short, but longer than a busy machine keeps a thread waiting.
  static constexpr Duration kShortSessionTimeout = std::chrono::seconds(1);

 private:
  Task<std::shared_ptr<Session>> open(Client& client);

  bool parent_exists_ = false;
};

// The value of a result, or an exception that names the action that failed.
template <class T>
T must(Result<T> result, std::string_view what) {
  if (!result) {
    throw std::runtime_error(std::string(what) + ": " + std::string(name(result.error())));
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

inline Task<std::shared_ptr<Session>> Lab::open(Duration session_timeout) {
  return open(add_client(session_timeout));
}

inline Task<std::shared_ptr<Session>> Lab::open(const SessionOptions& options) {
  return open(add_client(kLongSessionTimeout, Path(), options));
}

inline Task<std::shared_ptr<Session>> Lab::open(Client& client) {
  std::shared_ptr<Session> session = must(co_await client.session(Context()), "open");
  if (!parent_exists_) {
    const Creation open_to_all(CreateMode::kPersistent, Acl::open());
    must(co_await session->create(parent(), Data(), open_to_all), "create the parent");
    parent_exists_ = true;
  }
  co_return session;
}

}  // namespace lockstep::support
