#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/client.h"
#include "lockstep/zookeeper/options.h"
#include "lockstep/zookeeper/runtime.h"

namespace lockstep::zookeeper {

class Session;

// START HERE: the production backend. Opens sessions on a ZooKeeper ensemble, through ZooKeeper's
// own C client. Belongs to the runtime's thread.
//
// session() gives one session at a time; the next one when it has expired, failed or been closed.
// Locks that are taken through OnClient may spread over further ones: the paths that one session
// watches are bounded (SessionOptions::packet_limit), and when so much of that is taken or set
// aside that a contender's watch might not fit, the client opens another session,
// Options::max_sessions at most. Contenders of one queue may stand in it on different sessions.
// Each session is as good as the first: an observer is told of all of them, and each is ended on
// its own. A session beyond the first that nobody has held for Options::spare_session_time, and
// that does nothing, is closed. When the first one is over and there is another, that one is the
// first.
//
// The destructor ends the sessions, which may block: one round trip as a rule, at most about six
// seconds when the server has stopped answering (and as long as a name lookup under way takes).
// `co_await session->close()` before does the same without blocking.
//
//   lockstep::zookeeper::Runtime runtime;
//   lockstep::zookeeper::Client client(runtime, Options("zk1:2181,zk2:2181,zk3:2181"));
//   runtime.run(work(client));
class Client final : public lockstep::Client {
 public:
  Client(Runtime& runtime, Options options);
  ~Client() override;

  // Errors: kNotConnected if there is no connection when the context's deadline passes, or when
  // Options::retry gives up; kCancelled; kBadArguments if Options::defect() finds something,
  // kUnimplemented if that is what the linked C client cannot do; kAuthFailed, kClosing,
  // kSessionExpired if the session ended while it was being opened (the last only when attaching).
  // An ensemble that cannot be reached, or whose names do not resolve, is tried until then.
  Task<Result<std::shared_ptr<lockstep::Session>>> session(Context context) override;

  // Errors: those of session().
  Task<Result<SessionRoom>> session_with_room(std::size_t bytes, Context context) override;

  // What Options::defect() says, or else the last thing that went wrong with each server since
  // there was a connection: "10.0.0.1:2181: Connection refused; zk2: the name does not resolve:
  // ...".
  [[nodiscard]] std::string last_failure() const override;

  // Another list of servers, without a chroot, from now on. A connected session keeps its
  // connection, also to a server that is not in the list any more, until that ends (as it does when
  // the server is shut down); one that has none tries the new servers next. On the runtime's
  // thread. Error: kBadArguments, and nothing changes.
  [[nodiscard]] Result<void> set_servers(const std::string& servers);

  [[nodiscard]] Executor& executor() const override { return runtime_; }

  // With these another Client can attach to the session that session() gives. None before it was
  // connected.
  [[nodiscard]] std::optional<Credentials> credentials() const;

 private:
  // Ends sessions that nobody needs any more, one period after it has found them so.
  class SpareCheck final : public Timer {
   public:
    explicit SpareCheck(Client& client) : client_(client) {}
    void run() override { client_.close_spare_sessions(); }

   private:
    Client& client_;
  };
  class Room;
  class Open {
   public:
    explicit Open(std::shared_ptr<Session> opened) : session(std::move(opened)) {}
    std::shared_ptr<Session> session;
    bool was_spare = false;  // At the last check.
  };

  [[nodiscard]] std::optional<Error> defect_of_options() const;
  [[nodiscard]] static Error why_not_connected(const Session& session, Error error);
  void retire_those_that_are_over();
  void retire(std::size_t index);
  const std::shared_ptr<Session>& open();
  const std::shared_ptr<Session>& first_session();
  // One with so much room, if there is one or may be one more; otherwise the first.
  const std::shared_ptr<Session>& one_with_room(std::size_t bytes);
  void check_for_spare_sessions_later();
  void close_spare_sessions();

  Runtime& runtime_;
  Options options_;
  std::vector<Open> sessions_;  // The first one is that of session().
  SpareCheck spare_check_{*this};
  std::vector<std::shared_ptr<Session>> retired_;  // Over, but the C client may not be done yet.
};

}  // namespace lockstep::zookeeper
