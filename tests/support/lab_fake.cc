#include "support/lab_fake.h"

#include <cstdint>
#include <deque>

#include "lockstep/fake/simulation.h"
#include "support/session_waits.h"

namespace lockstep::support {

namespace {

class FakeLab final : public Lab {
 public:
  void run(Task<void> test) override { simulation_.run(std::move(test)); }
  Executor& executor() override { return tester_.executor(); }
  Path parent() const override { return Path("/test"); }
  using Lab::add_client;
  Client& add_client(Duration session_timeout, const Path& chroot,
                     const SessionOptions& options) override;
  Client& attach_client(Session& session, Password password, Duration session_timeout) override;
  void cut(Session& session) override;
  void prepare_loss(Session&, Loss) override {}
  void lose_connection(Session& session, Loss loss) override;
  Task<void> disconnect(Session& session) override;
  Task<void> reconnect(Session& session) override;
  void hold_replies(Session& session) override { simulation_.hold_inbox(fake(session)); }
  void let_go(Session& session) override { simulation_.let_go(fake(session)); }
  void gather_requests(Session&) override {}  // Nothing moves before the test waits.
  Task<void> kill(Session& session) override;
  Task<void> expire(Session& session) override;
  Duration tick_time() const override { return options_.tick_time; }
  Duration min_session_timeout() const override { return options_.min_session_timeout; }
  Duration max_session_timeout() const override { return options_.max_session_timeout; }
  Duration container_check_interval() const override { return options_.container_check_interval; }
  std::string client_address() const override { return "127.0.0.1"; }
  Duration lateness() const override { return {}; }

 private:
  static fakezk::ServerOptions options() {
    fakezk::ServerOptions options;
    options.tick_time = std::chrono::milliseconds(200);
    options.min_session_timeout = 2 * options.tick_time;
    options.max_session_timeout = std::chrono::minutes(1);
    options.ttl_enabled = true;
    options.container_check_interval = std::chrono::milliseconds(300);
    return options;
  }
  static fake::FakeSession& fake(Session& session) {
    return static_cast<fake::FakeSession&>(session);
  }

  const fakezk::ServerOptions options_ = options();
  fake::Simulation simulation_{options_};
  fake::FakeClient& tester_ = simulation_.client("tester");
  std::deque<fake::FakeClient> clients_;
};

Client& FakeLab::add_client(Duration session_timeout, const Path& chroot,
                            const SessionOptions& options) {
  return clients_.emplace_back(tester_.process(), "client", session_timeout, chroot, options);
}

Client& FakeLab::attach_client(Session& session, Password password, Duration session_timeout) {
  fake::FakeSession::Credentials credentials = fake(session).credentials();
  if (password == Password::kWrong) ++credentials.password;
  return clients_.emplace_back(tester_.process(), "client", session_timeout, credentials);
}

void FakeLab::cut(Session& session) {
  simulation_.cut(fake(session));
  simulation_.let_go(fake(session));
}

void FakeLab::lose_connection(Session& session, Loss loss) {
  const std::size_t sent = fake(session).waiting().requests.size();
  const bool applied = loss == Loss::kReplies;
  simulation_.cut(fake(session), applied ? static_cast<std::uint32_t>(sent) : 0);
}

// The client reconnects at once; the answer to that is held.
Task<void> FakeLab::disconnect(Session& session) {
  simulation_.cut(fake(session));
  co_await StateReached(session, SessionState::kSuspended);
  simulation_.hold_inbox(fake(session));
}

Task<void> FakeLab::reconnect(Session& session) {
  simulation_.let_go(fake(session));
  co_await StateReached(session, SessionState::kConnected);
}

// Breaks the connection first, as on a real server: a C client that receives nothing gives its
// connection up after two thirds of the session timeout, and a client whose session is taken over
// loses it.
Task<void> FakeLab::kill(Session& session) {
  co_await disconnect(session);
  simulation_.kill(fake(session));
  simulation_.let_go(fake(session));
}

Task<void> FakeLab::expire(Session& session) {
  co_await disconnect(session);
  simulation_.expire(fake(session));
  simulation_.let_go(fake(session));
}

}  // namespace

std::unique_ptr<Lab> make_fake_lab() { return std::make_unique<FakeLab>(); }

}  // namespace lockstep::support
