#include "lockstep/service/control.h"

#include <algorithm>
#include <utility>

#include "loop.h"

namespace lockstep::service {

namespace {

std::unexpected<Control::Refusal> unknown(std::string why) {
  return std::unexpected(Control::Refusal{true, std::move(why)});
}
std::unexpected<Control::Refusal> impossible(std::string why) {
  return std::unexpected(Control::Refusal{false, std::move(why)});
}

bool lives(const fakezk::Server& servers, SessionId session) {
  return session != 0 && servers.session_alive(session);
}

constexpr const char* kNoSession = "there is no such session, or it is over";
constexpr const char* kNoServer = "there is no such server: they count from 0";
constexpr const char* kNotConnected = "the session has no connection";
constexpr const char* kOneServer = "there is only one server";

// Calls `act` with the peers of a session, which may be over: a stalled client has not noticed.
template <class Act>
Control::Done with_peers(Service::Loop& loop, SessionId session, Act act) {
  const std::vector<std::shared_ptr<Peer>> peers = loop.peers_of(session);
  if (peers.empty() && !lives(loop.world().servers(), session)) return unknown(kNoSession);
  if (peers.empty()) return impossible(kNotConnected);
  act(peers);
  loop.world().turn();
  return {};
}

// Calls `act` with the peer that serves a session, or if none does, with one that did.
template <class Act>
Control::Done with_peer(Service::Loop& loop, SessionId session, Act act) {
  return with_peers(loop, session, [&](const auto& peers) { act(*peers.front()); });
}

// Calls `act` with all of them: a fault must also end on a connection that its client has given up
// since.
template <class Act>
Control::Done with_each_peer(Service::Loop& loop, SessionId session, Act act) {
  return with_peers(loop, session, [&](const auto& peers) {
    for (const std::shared_ptr<Peer>& peer : peers) act(*peer);
  });
}

Control::Done lose(Service::Loop& loop, const Loss& loss) {
  if (loss.session != 0 && !lives(loop.world().servers(), loss.session)) return unknown(kNoSession);
  loop.world().losses().add(loss);
  return {};
}

}  // namespace

Control::Done Control::expire(SessionId session) {
  return service_.loop_->do_there([session](Service::Loop& loop) -> Done {
    const fakezk::Server& servers = loop.world().servers();
    if (!lives(servers, session)) return unknown(kNoSession);
    loop.world().world().faults().kill_session(servers.sessions().find(session));
    loop.world().turn();
    return {};
  });
}

Control::Done Control::cut(SessionId session) {
  return service_.loop_->do_there([session](Service::Loop& loop) {
    return with_peer(loop, session, [](Peer& peer) { peer.leave(); });
  });
}

Control::Done Control::stall(SessionId session) {
  return service_.loop_->do_there([session](Service::Loop& loop) {
    return with_peer(loop, session, [](Peer& peer) { peer.stall(true); });
  });
}

Control::Done Control::resume(SessionId session) {
  return service_.loop_->do_there([session](Service::Loop& loop) {
    return with_each_peer(loop, session, [](Peer& peer) { peer.stall(false); });
  });
}

Control::Done Control::delay(SessionId session, Duration by) {
  return service_.loop_->do_there([session, by](Service::Loop& loop) -> Done {
    if (by < Duration::zero() || by > kLongestDelay) return impossible("an hour at most");
    const auto delay_it = [by](Peer& peer) { peer.delay(by); };
    if (by == Duration::zero()) return with_each_peer(loop, session, delay_it);
    return with_peer(loop, session, delay_it);
  });
}

Control::Done Control::lose_request(std::optional<wire::Op> kind, SessionId session) {
  return service_.loop_->do_there(
      [&](Service::Loop& loop) { return lose(loop, {false, kind, session}); });
}

Control::Done Control::lose_reply(std::optional<wire::Op> kind, SessionId session) {
  return service_.loop_->do_there(
      [&](Service::Loop& loop) { return lose(loop, {true, kind, session}); });
}

Control::Done Control::refuse(std::uint32_t server, bool refuses) {
  return service_.loop_->do_there([server, refuses](Service::Loop& loop) -> Done {
    if (server >= loop.world().servers().replica_count()) return unknown(kNoServer);
    loop.set_refusing(server, refuses);
    return {};
  });
}

Control::Done Control::lag(std::uint32_t server, bool lags) {
  return service_.loop_->do_there([server, lags](Service::Loop& loop) -> Done {
    const fakezk::ReplicaIndex count = loop.world().servers().replica_count();
    if (server >= count) return unknown(kNoServer);
    if (count == 1) return impossible(kOneServer);
    loop.world().world().servers().hold_replica(server, lags, loop.world().now());
    loop.world().turn();
    return {};
  });
}

Control::Done Control::change_leader() {
  return service_.loop_->do_there([](Service::Loop& loop) -> Done {
    if (loop.world().servers().replica_count() == 1) return impossible(kOneServer);
    loop.world().world().faults().change_leader();
    loop.world().turn();
    return {};
  });
}

Control::Done Control::set_counter(std::string_view path, std::int32_t next) {
  return service_.loop_->do_there([path = std::string(path), next](Service::Loop& loop) -> Done {
    fakezk::Server& servers = loop.world().world().servers();
    const auto id = servers.paths().find(Text(path));
    const fakezk::Znode* const znode = id ? servers.tree().find(*id) : nullptr;
    if (!znode) return unknown("there is no znode " + path);
    if (next < znode->children_created) {
      return impossible("numbers never go back: the next one is " +
                        std::to_string(znode->children_created));
    }
    for (fakezk::ReplicaIndex server = 0; server < servers.replica_count(); ++server) {
      if (!servers.outstanding(server).empty()) return impossible("a server lags");
    }
    servers.wind_sequence(*id, next);
    return {};
  });
}

Control::Done Control::advance(Duration by) {
  return service_.loop_->do_there([by](Service::Loop& loop) -> Done {
    if (by < Duration::zero() || by > kLongestAdvance) {
      return impossible("the clock only goes forward, by 30 days at most");
    }
    loop.world().advance(by);
    return {};
  });
}

Control::Done Control::plan(Plan plan) {
  return service_.loop_->do_there([&](Service::Loop& loop) -> Done {
    if (plan.kinds.empty()) return impossible("a plan has at least one kind of fault");
    if (plan.every < kShortestPause || plan.every > kLongestPause) {
      return impossible("a plan strikes every 1 ms at most, and every hour at least");
    }
    loop.follow(std::move(plan));
    return {};
  });
}

void Control::calm() {
  service_.loop_->call([this] {
    Service::Loop& loop = *service_.loop_;
    loop.follow_no_plan();
    loop.world().losses().clear();
    for (const std::shared_ptr<Peer>& peer : loop.peers()) {
      peer->delay(Duration::zero());
      peer->stall(false);
    }
    const auto count = static_cast<std::uint32_t>(loop.world().servers().replica_count());
    for (std::uint32_t server = 0; server < count; ++server) {
      loop.set_refusing(server, false);
      if (count > 1) loop.world().world().servers().hold_replica(server, false, loop.world().now());
    }
    loop.world().turn();
  });
}

}  // namespace lockstep::service
