#include "real/lab_zookeeper.h"

#ifdef LOCKSTEP_WITH_ZOOKEEPER

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "lockstep/sleep.h"
#include "lockstep/zookeeper/client.h"
#include "real/tcp_proxy.h"
#include "real/zookeeper_server.h"
#include "support/session_waits.h"

namespace lockstep::support {

namespace {

constexpr Duration kTestLimit = std::chrono::seconds(30);

// A client with its proxy.
class Seat {
 public:
  Seat(zookeeper::Runtime& runtime, std::uint16_t port, Duration session_timeout,
       const Path& chroot, const SessionOptions& told,
       std::optional<zookeeper::Credentials> attach_to = std::nullopt)
      : proxy(port), client(runtime, options(proxy, session_timeout, chroot, told, attach_to)) {}

  TcpProxy proxy;
  zookeeper::Client client;

 private:
  static zookeeper::Options options(const TcpProxy& proxy, Duration session_timeout,
                                    const Path& chroot, const SessionOptions& told,
                                    const std::optional<zookeeper::Credentials>& attach_to) {
    zookeeper::Options options(proxy.address() + chroot.string(), session_timeout);
    static_cast<SessionOptions&>(options) = told;
    options.attach_to = attach_to;
    return options;
  }
};

class ZookeeperLab final : public Lab {
 public:
  explicit ZookeeperLab(ServerOfLab server) : server_(std::move(server)) {}
  ~ZookeeperLab() override { runtime_.drop_spawned(); }

  void run(Task<void> test) override;
  Executor& executor() override { return runtime_; }
  Path parent() const override { return parent_; }
  using Lab::add_client;
  Client& add_client(Duration session_timeout, const Path& chroot,
                     const SessionOptions& options) override;
  Client& attach_client(Session& session, Password password, Duration session_timeout) override;
  void cut(Session& session) override;
  void prepare_loss(Session& session, Loss loss) override;
  void lose_connection(Session&, Loss) override {}
  Task<void> disconnect(Session& session) override;
  Task<void> reconnect(Session& session) override;
  void hold_replies(Session& session) override { proxy(session).hold_replies(); }
  void let_go(Session& session) override { proxy(session).pass_again(); }
  void gather_requests(Session& session) override { proxy(session).stall(); }
  Task<void> kill(Session& session) override;
  Task<void> expire(Session& session) override;
  Duration tick_time() const override { return ZookeeperServer::kTickTime; }
  Duration min_session_timeout() const override { return 2 * ZookeeperServer::kTickTime; }
  Duration max_session_timeout() const override { return ZookeeperServer::kMaxSessionTimeout; }
  Duration container_check_interval() const override {
    return ZookeeperServer::kContainerCheckInterval;
  }
  std::string client_address() const override { return "127.0.0.1"; }
  Duration lateness() const override { return kTestLimit; }  // The machine may be busy.

 private:
  static Task<void> limit(Executor& executor);
  // The seat of the client that opened the session; others may have attached to it later.
  Seat& seat(const Session& session);
  TcpProxy& proxy(const Session& session) { return seat(session).proxy; }

  ServerOfLab server_;
  zookeeper::Runtime runtime_;
  const Path parent_ = Path(unused_path("/test"));
  std::vector<std::unique_ptr<Seat>> seats_;
};

void ZookeeperLab::run(Task<void> test) {
  runtime_.spawn(limit(runtime_));
  runtime_.run(std::move(test));
  runtime_.drop_spawned();
}

Task<void> ZookeeperLab::limit(Executor& executor) {
  static_cast<void>(co_await sleep_for(executor, kTestLimit));
  throw std::runtime_error("the test waits for something that does not happen");
}

Seat& ZookeeperLab::seat(const Session& session) {
  const auto found = std::ranges::find_if(seats_, [&session](const auto& seat) {
    const auto credentials = seat->client.credentials();
    return credentials && credentials->session() == session.id();
  });
  if (found == seats_.end()) throw std::logic_error("a session of another lab");
  return **found;
}

Client& ZookeeperLab::add_client(Duration session_timeout, const Path& chroot,
                                 const SessionOptions& options) {
  seats_.push_back(
      std::make_unique<Seat>(runtime_, server_.port, session_timeout, chroot, options));
  return seats_.back()->client;
}

Client& ZookeeperLab::attach_client(Session& session, Password password, Duration session_timeout) {
  const zookeeper::Credentials right = *seat(session).client.credentials();
  std::array<char, 16> bytes = right.password();
  if (password == Password::kWrong) bytes[0] = static_cast<char>(~bytes[0]);
  const zookeeper::Credentials shown(right.session(), bytes);
  seats_.push_back(std::make_unique<Seat>(runtime_, server_.port, session_timeout, Path(),
                                          SessionOptions(), shown));
  return seats_.back()->client;
}

void ZookeeperLab::cut(Session& session) {
  proxy(session).cut();
  proxy(session).pass_again();
}

// The proxy must know before the request is sent; it acts when the request passes.
void ZookeeperLab::prepare_loss(Session& session, Loss loss) {
  if (loss == Loss::kRequests) {
    proxy(session).cut_at_next_request();
  } else {
    proxy(session).cut_at_next_reply();
  }
}

Task<void> ZookeeperLab::disconnect(Session& session) {
  proxy(session).refuse();
  co_await StateReached(session, SessionState::kSuspended);
}

Task<void> ZookeeperLab::reconnect(Session& session) {
  proxy(session).accept_again();
  co_await StateReached(session, SessionState::kConnected);
}

// With the session's credentials another client can take it over, and close it. Its own client
// would take it back at once.
Task<void> ZookeeperLab::kill(Session& session) {
  proxy(session).refuse();
  zookeeper::Options options("127.0.0.1:" + std::to_string(server_.port));
  options.attach_to = seat(session).client.credentials();
  zookeeper::Client operator_client(runtime_, std::move(options));
  const auto same_session = must(co_await operator_client.session(Context()), "attach");
  must(co_await same_session->close(), "close");
  proxy(session).accept_again();
}

Task<void> ZookeeperLab::expire(Session& session) {
  proxy(session).refuse();
  while (server_.knows_session(session.id())) {
    must(co_await sleep_for(runtime_, std::chrono::milliseconds(20)), "wait");
  }
  proxy(session).accept_again();
}

}  // namespace

std::unique_ptr<Lab> make_zookeeper_lab() {
  ZookeeperServer& server = ZookeeperServer::shared();
  return make_lab_around(
      {server.port(), [&server](std::int64_t id) { return server.knows_session(id); }});
}

std::unique_ptr<Lab> make_lab_around(ServerOfLab server) {
  return std::make_unique<ZookeeperLab>(std::move(server));
}

}  // namespace lockstep::support

#endif
