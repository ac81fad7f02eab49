#include "support/lab_fake.h"

#include <limits>

#include "lockstep/fake/simulation.h"
#include "support/session_waits.h"

namespace lockstep::support {

namespace {

class FakeLab final : public Lab {
 public:
  void run(Task<void> test) override { simulation_.run(std::move(test)); }
  Executor& executor() override { return tester_.executor(); }
  Path parent() const override { return Path("/test"); }
  using Lab::open;
  Task<std::shared_ptr<Session>> open(Duration session_timeout) override;
  void cut(Session& session) override { simulation_.cut(fake(session)); }
  void prepare_loss(Session&, Loss) override {}
  void lose_connection(Session& session, Loss loss) override;
  Task<void> disconnect(Session& session) override;
  Task<void> reconnect(Session& session) override;
  void hold_replies(Session& session) override { simulation_.hold_inbox(fake(session)); }
  void let_go(Session& session) override { simulation_.let_go(fake(session)); }
  Task<void> kill(Session& session) override;
  Task<void> expire(Session& session) override;

 private:
  static fake::FakeSession& fake(Session& session) {
    return static_cast<fake::FakeSession&>(session);
  }

  fake::Simulation simulation_;
  fake::FakeClient& tester_ = simulation_.client("tester");
  int sessions_ = 0;
};

Task<std::shared_ptr<Session>> FakeLab::open(Duration session_timeout) {
  const auto session = std::make_shared<fake::FakeSession>(tester_.process(), session_timeout);
  must(co_await session->connected(), "open");
  if (++sessions_ == 1) {
    must(co_await session->create(parent(), Data(), CreateMode::kPersistent), "create the parent");
  }
  co_return session;
}

void FakeLab::lose_connection(Session& session, Loss loss) {
  const bool applied = loss == Loss::kReplies;
  simulation_.cut(fake(session), applied ? std::numeric_limits<std::uint32_t>::max() : 0);
}

// The client connects again at once; the answer to that stays on the way.
Task<void> FakeLab::disconnect(Session& session) {
  simulation_.cut(fake(session));
  co_await StateReached(session, SessionState::kSuspended);
  simulation_.hold_inbox(fake(session));
}

Task<void> FakeLab::reconnect(Session& session) {
  simulation_.let_go(fake(session));
  co_await StateReached(session, SessionState::kConnected);
}

Task<void> FakeLab::kill(Session& session) {
  simulation_.kill(fake(session));
  co_return;
}

Task<void> FakeLab::expire(Session& session) {
  simulation_.expire(fake(session));
  co_return;
}

}  // namespace

std::unique_ptr<Lab> make_fake_lab() { return std::make_unique<FakeLab>(); }

}  // namespace lockstep::support
