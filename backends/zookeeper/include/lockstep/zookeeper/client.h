#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/client.h"
#include "lockstep/zookeeper/options.h"
#include "lockstep/zookeeper/runtime.h"

namespace lockstep::zookeeper {

class Session;

// START HERE: the production backend. Opens sessions on a ZooKeeper ensemble, through ZooKeeper's
// own C client. One session at a time; the next one when it has expired, failed or been closed.
// Belongs to the runtime's thread.
//
// The destructor ends the session, which may block: one round trip as a rule, at most about six
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

  // With these another Client can attach to the current session. None before it was connected.
  [[nodiscard]] std::optional<Credentials> credentials() const;

 private:
  void retire_current();

  Runtime& runtime_;
  Options options_;
  std::shared_ptr<Session> current_;
  std::vector<std::shared_ptr<Session>> retired_;  // Over, but the C client may not be done yet.
};

}  // namespace lockstep::zookeeper
