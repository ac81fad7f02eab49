#include "lockstep/search/state_hash.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::search {

namespace {

class Hash {
 public:
  void add(std::uint64_t fact) { value_ = fakezk::mix(value_ ^ fact) + 0x9e3779b97f4a7c15u; }
  void add(std::string_view text) { add(text_hash(text)); }
  template <class Enum>
    requires std::is_enum_v<Enum>
  void add(Enum value) {
    add(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

void add_stat(Hash& hash, const Stat& stat) {
  hash.add(static_cast<std::uint64_t>(stat.version));
  hash.add(static_cast<std::uint64_t>(stat.cversion));
  hash.add(static_cast<std::uint64_t>(stat.aversion));
  hash.add(static_cast<std::uint64_t>(stat.ephemeral_owner));
  hash.add(static_cast<std::uint64_t>(stat.num_children));
}

void add_data(Hash& hash, const Data& data) {
  hash.add(data.is_null());
  hash.add(data.view());
}

void add_acl(Hash& hash, const Acl& acl) {
  hash.add(acl.says_nothing());
  hash.add(acl.entries().size());
  for (const AclEntry& entry : acl.entries()) {
    hash.add(static_cast<std::uint64_t>(entry.permissions));
    hash.add(entry.scheme);
    hash.add(entry.id);
  }
}

void add_znode(Hash& hash, const fakezk::ZnodeTree& tree, const fakezk::Server& server,
               fakezk::PathId id) {
  const fakezk::Znode* const znode = tree.find(id);
  if (!znode) return;
  const fakezk::PathTable& paths = server.paths();
  hash.add(paths.text(id).hash());
  add_stat(hash, tree.stat(*znode));
  add_data(hash, znode->data);
  // Numbers of ACLs follow the order in which they came, which no client can see.
  if (znode->acl != fakezk::AclTable::kOpen) add_acl(hash, server.acls().acl(znode->acl));
  hash.add(znode->lifetime);
  // The children are stored in the order of their creation, which no client can see.
  std::vector<fakezk::PathId> children = znode->children;
  std::ranges::sort(children, {}, [&](fakezk::PathId child) { return paths.name(child); });
  for (const fakezk::PathId child : children) add_znode(hash, tree, server, child);
}

void add_request(Hash& hash, const Request& request) {
  hash.add(request.op);
  hash.add(request.mode);
  hash.add(request.watch_type);
  hash.add(request.watched);
  hash.add(request.path.view());
  add_data(hash, request.data);
  hash.add(static_cast<std::uint64_t>(request.version));
  if (request.plain()) return;
  add_acl(hash, request.acl());
  hash.add(static_cast<std::uint64_t>(request.ttl().count()));
  hash.add(request.scheme().view());
  hash.add(request.ops().size());
  for (const Request& op : request.ops()) add_request(hash, op);
}

void add_query(Hash& hash, const fakezk::Query& query) {
  hash.add(query.kind);
  hash.add(query.path.view());
  hash.add(query.mode);
  hash.add(query.reads.size());
  for (const Request& read : query.reads) add_request(hash, read);
  hash.add(query.breaks_off);
}

void add_message(Hash& hash, const fakezk::ClientMessage& message) {
  using Kind = fakezk::ClientMessage::Kind;
  hash.add(message.kind);
  add_request(hash, message.request);
  if (message.kind == Kind::kHandshake) {
    hash.add(static_cast<std::uint64_t>(message.handshake().session_id));
  }
  if (message.kind == Kind::kQuery) return add_query(hash, message.query());
  if (message.kind != Kind::kSetWatches) return;
  for (const std::vector<Path>* const paths : message.watched().lists()) {
    hash.add(paths->size());
    for (const Path& path : *paths) hash.add(path.view());
  }
}

void add_requests(Hash& hash, const fakezk::Mailbox<fakezk::ClientMessage>& requests) {
  hash.add(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) add_message(hash, requests[i]);
}

void add_link(Hash& hash, const fakezk::Link& link) {
  hash.add(link.open);
  add_requests(hash, link.requests);
  hash.add(link.inbox.size());
  for (std::size_t i = 0; i < link.inbox.size(); ++i) hash.add(content_hash(link.inbox[i]));
}

// Adds which connection watches which path, and how. The order in which the watches were set cannot
// be observed.
void add_watches(Hash& hash, const fakezk::WatchTable& watches, const fakezk::PathTable& paths,
                 fakezk::LinkIndex links) {
  for (fakezk::LinkIndex link = 0; link < links; ++link) {
    std::vector<std::pair<std::string_view, fakezk::WatchMode>> watched;
    for (const fakezk::PathId path : watches.watched_by(link)) {
      watched.emplace_back(paths.text(path).view(), watches.mode(path, link));
    }
    std::ranges::sort(watched);
    hash.add(watched.size());
    for (const auto& [path, mode] : watched) {
      hash.add(path);
      if (mode != fakezk::WatchMode::kOneShot) hash.add(mode);
    }
  }
}

void add_replica(Hash& hash, const fakezk::Replica& replica, const fakezk::Server& server,
                 fakezk::LinkIndex links) {
  add_znode(hash, replica.tree(), server, fakezk::PathTable::kRoot);
  add_watches(hash, replica.data_watches(), server.paths(), links);
  add_watches(hash, replica.child_watches(), server.paths(), links);
  hash.add(replica.lagging);
  hash.add(replica.unreachable);
}

// Leaves out when the leader last heard of the session: only its silence shows that.
void add_session(Hash& hash, const fakezk::SessionTable::Session& session) {
  hash.add(session.phase);
  hash.add(session.link);
  hash.add(static_cast<std::uint64_t>(session.timeout.count()));
  const std::optional<TimePoint> end = session.silent_until();
  hash.add(end.has_value());
  if (end) hash.add(static_cast<std::uint64_t>(end->time_since_epoch().count()));
}

void add_identities(Hash& hash, std::span<const fakezk::Identity> identities) {
  hash.add(identities.size());
  for (const fakezk::Identity& identity : identities) {
    hash.add(identity.scheme);
    hash.add(identity.id);
  }
}

// Hashes the remains of broken connections, session by session: their order matters only within one
// session.
void add_strays(Hash& hash, const fakezk::Server& server) {
  for (fakezk::SessionIndex session = 0; session < server.session_count(); ++session) {
    for (std::uint32_t i = 0; i < server.strays().size(); ++i) {
      const fakezk::Strays::Left& left = server.strays().at(i);
      if (left.session != session) continue;
      add_identities(hash, left.identities.list());
      add_requests(hash, left.requests);
    }
  }
}

void add_txn(Hash& hash, const fakezk::Server& server, const fakezk::Txn& txn) {
  hash.add(txn.op);
  hash.add(txn.has_error);
  if (txn.has_error) hash.add(txn.error);
  hash.add(txn.origin);
  for (std::size_t i = 0; i < txn.change_count; ++i) {
    const fakezk::Change& change = server.history()[txn.first_change + i];
    hash.add(change.kind);
    hash.add(server.paths().text(change.path).view());
    add_data(hash, change.data);
  }
}

// Only the replies to a multi and to get_acl have details.
void add_details(Hash& hash, const ReplyDetails& details) {
  add_acl(hash, details.acl);
  hash.add(static_cast<std::uint64_t>(details.failed_op));
  hash.add(details.results.size());
  for (const OpResult& result : details.results) {
    hash.add(result.op);
    hash.add(result.path.view());
    add_stat(hash, result.stat);
  }
}

void add_reply(Hash& hash, const Reply& reply) {
  hash.add(reply.is_error());
  if (reply.is_error()) hash.add(reply.error);
  hash.add(reply.path.view());
  add_stat(hash, reply.stat());
  add_data(hash, reply.data);
  hash.add(reply.children.size());
  for (const std::string_view name : reply.children) hash.add(name);
  if (!reply.plain()) add_details(hash, reply.details());
}

void add_answer(Hash& hash, const fakezk::QueryAnswer& answer) {
  add_identities(hash, answer.clients);
  hash.add(answer.ephemerals.size());
  for (const Path& ephemeral : answer.ephemerals) hash.add(ephemeral.view());
  hash.add(static_cast<std::uint64_t>(answer.descendants));
  hash.add(answer.replies.size());
  for (const Reply& reply : answer.replies) add_reply(hash, reply);
}

}  // namespace

std::uint64_t content_hash(const fakezk::ServerMessage& message) {
  Hash hash;
  hash.add(message.kind);
  hash.add(message.event);
  hash.add(message.op);
  hash.add(static_cast<std::uint64_t>(message.welcome ? message.welcome->session_id : 0));
  add_reply(hash, message.reply);
  if (message.answer) add_answer(hash, *message.answer);
  return hash.value();
}

std::uint64_t state_hash(fakezk::World& world) {
  Hash hash;
  const fakezk::Server& server = world.server();
  add_znode(hash, server.tree(), server, fakezk::PathTable::kRoot);
  for (fakezk::ReplicaIndex i = 0; i < server.replica_count(); ++i) {
    add_replica(hash, server.replica(i), server, world.network().size());
    const std::span<const fakezk::Txn> outstanding = server.outstanding(i);
    hash.add(outstanding.size());
    for (const fakezk::Txn& txn : outstanding) add_txn(hash, server, txn);
  }
  hash.add(server.session_count());
  for (fakezk::SessionIndex i = 0; i < server.session_count(); ++i) {
    add_session(hash, server.sessions()[i]);
  }
  add_strays(hash, server);
  hash.add(world.network().size());
  for (fakezk::LinkIndex i = 0; i < world.network().size(); ++i) {
    hash.add(world.process_of(i));
    hash.add(server.session_of(i));
    add_identities(hash, server.identities(i));
    add_link(hash, world.network()[i]);
  }
  hash.add(static_cast<std::uint64_t>(world.now().time_since_epoch().count()));
  hash.add(world.clock().server_hash());
  for (std::uint32_t i = 0; i < world.process_count(); ++i) {
    hash.add(world.process(i).stalled());
    hash.add(world.process(i).clock_hash());
  }
  return hash.value();
}

}  // namespace lockstep::search
