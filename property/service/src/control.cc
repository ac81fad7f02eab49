#include "lockstep/service/control.h"

#include "loop.h"

namespace lockstep::service {

std::vector<Control::Session> Control::sessions() {
  std::vector<Session> sessions;
  service_.loop_->call([&] {
    const fakezk::Server& servers = service_.loop_->world().servers();
    for (fakezk::SessionIndex index = 0; index < servers.session_count(); ++index) {
      if (!servers.session_alive(index)) continue;
      Session& session = sessions.emplace_back();
      session.id = servers.session_id(index);
      session.timeout = servers.sessions()[index].timeout;
      const fakezk::LinkIndex link = servers.link_of(index);
      session.connected = link != fakezk::kNoLink;
      if (session.connected) session.server = servers.replica_of(link);
    }
  });
  return sessions;
}

bool Control::cut(SessionId session) {
  bool connected = false;
  service_.loop_->call([&] {
    const std::shared_ptr<Peer> peer = service_.loop_->peer_of(session);
    connected = peer != nullptr;
    if (!connected) return;
    peer->leave();
    service_.loop_->world().turn();
  });
  return connected;
}

}  // namespace lockstep::service
