#include "payload_hash.h"

#include <vector>

#include "lockstep/internal/bytes.h"

namespace lockstep::fakezk {

void PayloadHash::add(const Stat& stat) {
  add(stat.czxid);
  add(stat.mzxid);
  add(stat.ctime_ms);
  add(stat.mtime_ms);
  add(stat.version, stat.cversion);
  add(stat.aversion, stat.data_length);
  add(stat.ephemeral_owner);
  add(std::int64_t{stat.num_children});
  add(stat.pzxid);
}

// Hashes only both ends of each name: the request that created the znode contained the whole name.
void PayloadHash::add(const Children& children) {
  for (const std::string_view name : children) {
    if (name.size() < 8) {
      add(name);
      continue;
    }
    add(internal::eight_bytes(name.data()));
    add(internal::eight_bytes(name.data() + name.size() - 8));
  }
  add(children.parent());
}

void PayloadHash::add(const Acl& acl) {
  add(std::uint64_t{acl.entries().size()});
  for (const AclEntry& entry : acl.entries()) {
    add(std::int64_t{entry.permissions});
    add(std::string_view(entry.scheme));
    add(std::string_view(entry.id));
  }
}

void PayloadHash::add_acl(const Reply& reply) {
  const Acl& acl = reply.details().acl;
  if (!acl.is_open()) add(acl);
}

void PayloadHash::add_rarities(const Request& request) {
  add(request.acl());
  add(std::int64_t{request.ttl().count()});
  add(request.scheme());
  if (request.op != OpCode::kMulti) return;
  add(std::uint64_t{request.ops().size()});
  for (const Request& op : request.ops()) add(op);
}

void PayloadHash::add_rarities(const ServerMessage& message) {
  if (message.reply.has_error) {
    add(static_cast<std::int32_t>(message.reply.error), message.reply.failed_op());
  }
  if (message.answer) add(*message.answer);
  if (!message.welcome) return;
  add(message.welcome->session_id);
  add(message.welcome->password);
  add(std::int64_t{message.welcome->timeout.count()});
}

void PayloadHash::add_greeting(const ClientMessage& message) {
  if (message.kind == ClientMessage::Kind::kHandshake) {
    const Handshake& handshake = message.handshake();
    add(handshake.session_id);
    add(handshake.password);
    add(std::int64_t{handshake.timeout.count()});
    return add(handshake.last_zxid_seen);
  }
  if (message.kind == ClientMessage::Kind::kQuery) return add(message.query());
  const WatchedPaths& watched = message.watched();
  add(watched.relative_zxid);
  for (const std::vector<Path>* paths : watched.lists()) {
    const bool lasting = paths == &watched.persistent || paths == &watched.recursive;
    if (lasting && paths->empty()) continue;
    add(std::uint64_t{paths->size()});
    for (const Path& path : *paths) add(path.text());
  }
}

void PayloadHash::add(const Query& query) {
  add(number(query.kind) | number(query.mode) << 8 | std::uint64_t{query.breaks_off} << 16);
  add(query.path.text());
  for (const Request& read : query.reads) add(read);
}

void PayloadHash::add(const QueryAnswer& answer) {
  for (const Identity& client : answer.clients) {
    add(std::string_view(client.scheme));
    add(std::string_view(client.id));
  }
  for (const Path& ephemeral : answer.ephemerals) add(ephemeral.text());
  add(std::int64_t{answer.descendants});
  for (const Reply& reply : answer.replies) {
    add(std::uint64_t{reply.has_error});
    if (reply.has_error) add(static_cast<std::int32_t>(reply.error), 0);
    add(reply.stat());
    add(reply.data.text());
    add(reply.children);
  }
}

void PayloadHash::add_results(const Reply& reply) {
  for (const OpResult& result : reply.details().results) {
    add(number(result.op));
    add(result.path.text());
    add(result.stat);
  }
}

}  // namespace lockstep::fakezk
