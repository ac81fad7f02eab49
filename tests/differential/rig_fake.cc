#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "differential/rig.h"
#include "differential/users.h"
#include "lockstep/fake/simulation.h"
#include "real/zookeeper_server.h"
#include "support/lab.h"

namespace lockstep::differential {

namespace {

using support::must;

// Equal to the configuration of the real rig's server.
fakezk::ServerOptions server_options() {
  fakezk::ServerOptions options{.tick_time = support::ZookeeperServer::kTickTime,
                                .max_session_timeout = support::ZookeeperServer::kMaxSessionTimeout,
                                .ttl_enabled = true};
  options.container_check_interval = Duration::zero();  // Exclusion::kReaping
  return options;
}

struct World {
  fake::Simulation simulation{server_options()};
  fake::FakeClient& process = simulation.client("program");
  std::deque<fake::FakeClient> clients;
  // Handshakes held back until let_through().
  std::map<fakezk::LinkIndex, std::unique_ptr<fakezk::ClientMessage>> handshakes;
};

// Runs every program in a new world.
class FakeRig final : public Rig {
 public:
  std::string_view name() const override { return "fake"; }
  void begin() override { world_.emplace(); }
  void end() override { world_.reset(); }
  int programs() const override { return 1; }
  void run(Task<void> task) override { world_->simulation.run(std::move(task)); }
  Task<std::shared_ptr<Session>> inspector() override;
  Task<std::shared_ptr<Session>> open(Duration session_timeout) override;

  void hold_replies(Session& session) override { simulation().hold_inbox(fake(session)); }
  // The simulation stands still until cut(), so new requests have not arrived.
  void stall(Session&) override {}
  void cut(Session& session) override;
  void keep_away(Session& session) override;
  Task<void> attempt(Session&) override { co_return; }
  void let_through(Session& session) override;
  Task<void> kill(Session& session) override;
  Task<void> expire(Session& session) override;

 private:
  static fake::FakeSession& fake(Session& session) {
    return static_cast<fake::FakeSession&>(session);
  }
  fake::Simulation& simulation() { return world_->simulation; }
  fakezk::Link& link(Session& session) {
    return simulation().world().network()[fake(session).link()];
  }

  std::optional<World> world_;
};

Task<std::shared_ptr<Session>> FakeRig::inspector() {
  std::shared_ptr<Session> session = co_await open(kLongSessionTimeout);
  co_await introduce_as_everybody(session);
  co_return session;
}

Task<std::shared_ptr<Session>> FakeRig::open(Duration session_timeout) {
  fake::FakeClient& client =
      world_->clients.emplace_back(world_->process.process(), "client", session_timeout);
  co_return must(co_await client.session(Context()), "open");
}

void FakeRig::cut(Session& session) {
  world_->handshakes.erase(fake(session).link());
  simulation().cut(fake(session));
  simulation().let_go(fake(session));
}

// The client has begun to connect again; its handshake must not reach the server.
void FakeRig::keep_away(Session& session) {
  world_->handshakes.emplace(fake(session).link(), link(session).requests.take());
}

void FakeRig::let_through(Session& session) {
  simulation().let_go(fake(session));
  const auto handshake = world_->handshakes.find(fake(session).link());
  if (handshake == world_->handshakes.end()) return;
  link(session).requests.put(std::move(handshake->second));
  world_->handshakes.erase(handshake);
}

Task<void> FakeRig::kill(Session& session) {
  simulation().kill(fake(session));
  co_return;
}

Task<void> FakeRig::expire(Session& session) {
  simulation().expire(fake(session));
  co_return;
}

}  // namespace

std::unique_ptr<Rig> make_fake_rig() { return std::make_unique<FakeRig>(); }

}  // namespace lockstep::differential
