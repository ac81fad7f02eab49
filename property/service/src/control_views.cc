// The views of Control.
#include <algorithm>
#include <map>
#include <set>

#include "lockstep/service/control.h"
#include "loop.h"

namespace lockstep::service {

namespace {

template <class Visit>
void each_session(const fakezk::Server& servers, Visit visit) {
  for (fakezk::SessionIndex index = 0; index < servers.session_count(); ++index) {
    if (servers.session_alive(index)) visit(index);
  }
}

bool connected(const fakezk::Server& servers, SessionId session) {
  const fakezk::SessionIndex index = servers.sessions().find(session);
  return index != fakezk::kNoSession && servers.link_of(index) != fakezk::kNoLink;
}

// Calls `visit` with each znode and its path, parents first and children in order of creation.
template <class Visit>
void each_znode(const fakezk::Server& servers, Visit visit) {
  std::vector<fakezk::PathId> left = {fakezk::PathTable::kRoot};
  while (!left.empty()) {
    const fakezk::PathId id = left.back();
    left.pop_back();
    const fakezk::Znode* const znode = servers.tree().find(id);
    if (!znode) continue;
    visit(servers.paths().path(id).string(), *znode);
    left.insert(left.end(), znode->children.rbegin(), znode->children.rend());
  }
}

bool ends_in_a_number(std::string_view path) {
  constexpr std::size_t kDigits = 10;
  return path.size() > kDigits &&
         path.find_first_not_of("0123456789", path.size() - kDigits) == std::string_view::npos;
}

Control::Write::Kind kind_of(fakezk::Change::Kind kind) {
  switch (kind) {
    case fakezk::Change::Kind::kCreated: return Control::Write::Kind::kCreated;
    case fakezk::Change::Kind::kDeleted: return Control::Write::Kind::kDeleted;
    case fakezk::Change::Kind::kDataSet: return Control::Write::Kind::kDataSet;
    default: return Control::Write::Kind::kAclSet;
  }
}

}  // namespace

std::vector<Control::Session> Control::sessions() {
  return service_.loop_->do_there([](Service::Loop& loop) {
    std::vector<Session> sessions;
    const fakezk::Server& servers = loop.world().servers();
    std::set<SessionId> stalled;
    std::set<SessionId> flowing;
    for (const std::shared_ptr<Peer>& peer : loop.peers()) {
      if (peer->stalled()) {
        stalled.insert(peer->session_id());
      } else if (peer->serves_its_session()) {
        flowing.insert(peer->session_id());
      }
    }
    each_session(servers, [&](fakezk::SessionIndex index) {
      Session& session = sessions.emplace_back();
      session.id = servers.session_id(index);
      session.timeout = servers.sessions()[index].timeout;
      const fakezk::LinkIndex link = servers.link_of(index);
      session.connected = link != fakezk::kNoLink;
      if (session.connected) session.server = servers.replica_of(link);
      session.stalled = stalled.contains(session.id) && !flowing.contains(session.id);
      for (const fakezk::PathId path : servers.ephemerals(index)) {
        session.ephemerals.push_back(servers.paths().path(path).string());
      }
    });
    return sessions;
  });
}

std::vector<Control::Server> Control::servers() {
  return service_.loop_->do_there([](Service::Loop& loop) {
    std::vector<Server> all;
    const fakezk::Server& servers = loop.world().servers();
    for (const Listener::Tcp::endpoint& endpoint : loop.endpoints()) {
      const auto number = static_cast<fakezk::ReplicaIndex>(all.size());
      all.push_back({.address = text_of(endpoint),
                     .refuses = loop.refuses(number),
                     .lags = servers.replica(number).held,
                     .behind = 0});
      if (servers.options().is_ensemble()) all.back().behind = servers.outstanding(number).size();
    }
    return all;
  });
}

std::vector<Control::Znode> Control::tree() {
  return service_.loop_->do_there([](Service::Loop& loop) {
    std::vector<Znode> tree;
    each_znode(loop.world().servers(), [&](std::string path, const fakezk::Znode& znode) {
      const Stat& stat = znode;
      tree.push_back({std::move(path), std::string(znode.data.view()), stat});
    });
    return tree;
  });
}

std::vector<Control::Watch> Control::watches() {
  return service_.loop_->do_there([](Service::Loop& loop) {
    std::vector<Watch> watches;
    const fakezk::Server& servers = loop.world().servers();
    each_session(servers, [&](fakezk::SessionIndex index) {
      const fakezk::LinkIndex link = servers.link_of(index);
      if (link == fakezk::kNoLink) return;
      const fakezk::Replica& replica = servers.replica(servers.replica_of(link));
      for (const bool on_children : {false, true}) {
        const auto& table = on_children ? replica.child_watches() : replica.data_watches();
        for (const fakezk::PathId path : table.watched_by(link)) {
          watches.push_back(
              {servers.paths().path(path).string(), servers.session_id(index), on_children});
        }
      }
    });
    return watches;
  });
}

std::vector<Control::Queue> Control::queues() {
  return service_.loop_->do_there([](Service::Loop& loop) {
    const fakezk::Server& servers = loop.world().servers();
    // A znode's children come in order of creation, which is the order of their numbers.
    std::map<std::string, std::vector<Place>> places;
    each_znode(servers, [&](const std::string& path, const fakezk::Znode& znode) {
      if (znode.ephemeral_owner == 0 || !ends_in_a_number(path)) return;
      places[path.substr(0, std::max<std::size_t>(path.rfind('/'), 1))].push_back(
          {path, znode.ephemeral_owner, connected(servers, znode.ephemeral_owner)});
    });
    std::vector<Queue> queues;
    queues.reserve(places.size());
    for (auto& [path, contenders] : places) queues.push_back({path, std::move(contenders)});
    return queues;
  });
}

std::vector<Control::LoggedRequest> Control::log(std::uint64_t after) {
  return service_.loop_->do_there(
      [after](Service::Loop& loop) { return loop.world().log().after(after); });
}

std::vector<Control::Write> Control::history(Zxid after) {
  return service_.loop_->do_there([after](Service::Loop& loop) {
    const fakezk::Server& servers = loop.world().servers();
    const fakezk::History& all = servers.history();
    std::vector<Write> writes;
    for (auto change = std::ranges::upper_bound(all, after, {}, &fakezk::Change::zxid);
         change != all.end(); ++change) {
      if (change->kind == fakezk::Change::Kind::kChecked) continue;
      writes.push_back({.kind = kind_of(change->kind),
                        .zxid = change->zxid,
                        .path = servers.paths().path(change->path).string(),
                        .session = change->actor,
                        .owner = change->owner});
    }
    return writes;
  });
}

}  // namespace lockstep::service
