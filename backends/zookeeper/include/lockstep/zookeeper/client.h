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
// session() returns the same session until it has expired, failed or been closed, and then opens
// the next one. Locks that are taken through OnClient may use further sessions: the paths that one
// session watches are bounded (SessionOptions::packet_limit). When so much of that bound is used or
// reserved that a contender's watch might not fit, the client opens another session, up to
// Options::max_sessions. Contenders of one queue may belong to different sessions. All sessions are
// equal: an observer sees all of them, and each ends on its own. An idle session beyond the first
// that no lock has used for Options::spare_session_time is closed. When the first one is over and
// there is another, that one becomes the first.
//
// The destructor ends the sessions, which may block: usually for a few round trips, at most about
// seven seconds when the server has stopped answering (one for the replies to requests in flight,
// four and a half in the C client's zookeeper_close(), one and a half for a second connection), and
// for the time of a name lookup in progress. `co_await session->close()` beforehand does the same
// without blocking.
//
//   lockstep::zookeeper::Runtime runtime;
//   lockstep::zookeeper::Client client(runtime, Options("zk1:2181,zk2:2181,zk3:2181"));
//   runtime.run(work(client));
class Client final : public lockstep::Client {
 public:
  Client(Runtime& runtime, Options options);
  ~Client() override;

  // Errors: kNotConnected if there is no connection when the context's deadline passes, or when
  // RetryPolicy::give_up_opening_after has; kCancelled; kBadArguments if Options::defect() finds
  // something, kUnimplemented if the linked C client lacks a feature that the options ask for;
  // kAuthFailed, kClosing, kSessionExpired if the session ended while it was being opened (the last
  // only when attaching). An unreachable ensemble, names that do not resolve, and a session that
  // finds no room for its threads, are retried until then.
  Task<Result<std::shared_ptr<lockstep::Session>>> session(Context context) override;

  // Errors: those of session().
  Task<Result<SessionRoom>> session_with_room(std::size_t bytes, Context context) override;

  // The defect (Options::defect()), or else the last failure of each server since there was a
  // connection: "10.0.0.1:2181: Connection refused; zk2: the name does not resolve: ...". A server
  // that has not failed "has not answered yet", and a name "is being looked up". Names the latest
  // 32, and only counts others ("3 others; 10.0.0.1:2181: ..."). Of a session that cannot start its
  // thread: "session: Resource temporarily unavailable".
  [[nodiscard]] std::string last_failure() const override;

  // Uses another list of servers, without a chroot, from now on. A connected session keeps its
  // connection, even to a server that is no longer in the list, until that ends (as it does when
  // the server is shut down); a session without one tries the new servers next. On the runtime's
  // thread. Error: kBadArguments, and nothing changes.
  [[nodiscard]] Result<void> set_servers(const std::string& servers);

  [[nodiscard]] Executor& executor() const override { return runtime_; }

  // Another Client can attach to the session of session() with these. Empty before it was
  // connected.
  [[nodiscard]] std::optional<Credentials> credentials() const;

 private:
  // Ends idle sessions one period after it has found them idle.
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
  [[nodiscard]] bool waits_for_the_next(const Session& session, SessionState found,
                                        Error error) const;
  [[nodiscard]] static Error why_not_connected(const Session& session, Error error);
  void retire_those_that_are_over();
  void retire(std::size_t index);
  // These return null if a session is needed that cannot start its thread now. The limit is the
  // time after which a session that opens is given up.
  [[nodiscard]] std::shared_ptr<Session> open(Duration limit);
  [[nodiscard]] std::shared_ptr<Session> first_session(Duration opening_limit);
  // A session with that much room, if there is one or another may be opened; otherwise the first,
  // also if another cannot start its thread and the first is connected.
  [[nodiscard]] std::shared_ptr<Session> one_with_room(std::size_t bytes, Duration opening_limit);
  void check_for_spare_sessions_later();
  void close_spare_sessions();

  Runtime& runtime_;
  Options options_;
  std::vector<Open> sessions_;  // session() returns the first one.
  std::string why_not_opened_;  // Why the latest call found no thread for a session, if it did.
  SpareCheck spare_check_{*this};
  std::vector<std::shared_ptr<Session>> retired_;  // Over, but the C client may not be done yet.
};

}  // namespace lockstep::zookeeper
