#include <utility>

#include "translation.h"

namespace lockstep::connection {

namespace {

using fakezk::ServerMessage;

constexpr std::size_t kPasswordBytes = 16;
constexpr std::int32_t kConnectedState = 3;  // zookeeper.h, ZOO_CONNECTED_STATE

std::int32_t number(Error error) { return static_cast<std::int32_t>(error); }

wire::Buffer buffer_of(const Data& data) {
  return data.is_null() ? wire::Buffer() : wire::Buffer(data.view());
}

wire::Stat stat_of(const lockstep::Stat& stat) {
  return {.czxid = stat.czxid,
          .mzxid = stat.mzxid,
          .ctime = stat.ctime_ms,
          .mtime = stat.mtime_ms,
          .version = stat.version,
          .cversion = stat.cversion,
          .aversion = stat.aversion,
          .ephemeral_owner = stat.ephemeral_owner,
          .data_length = stat.data_length,
          .num_children = stat.num_children,
          .pzxid = stat.pzxid};
}

wire::Vector<wire::Ustring> names_of(const Children& children) {
  std::vector<wire::Ustring> names;
  names.reserve(children.size());
  for (const std::string_view name : children) names.emplace_back(name);
  return names;
}

wire::Vector<wire::Acl> acl_of(const Acl& acl) {
  std::vector<wire::Acl> entries;
  for (const AclEntry& entry : acl.entries()) {
    entries.push_back({.perms = entry.permissions, .id = {.scheme = entry.scheme, .id = entry.id}});
  }
  return entries;
}

wire::MultiResult result_of(wire::Op op, const OpResult& done) {
  if (op == wire::Op::kCreate) {
    return {.op = op, .body = wire::PathReply{.path = done.path.string()}};
  }
  if (op == wire::Op::kCreate2) {
    return {.op = op,
            .body = wire::Create2Reply{.path = done.path.string(), .stat = stat_of(done.stat)}};
  }
  if (op == wire::Op::kSetData) {
    return {.op = op, .body = wire::StatReply{.stat = stat_of(done.stat)}};
  }
  return {.op = op, .body = wire::Nothing{}};
}

// In a failed multi all results are errors: "none" before the operation at fault,
// RUNTIMEINCONSISTENCY after it (PrepRequestProcessor and DataTree.processTxn, multi).
wire::MultiReply failed_multi(const Asked& asked, const Reply& reply) {
  wire::MultiReply failed;
  const auto at_fault = static_cast<std::size_t>(reply.failed_op());
  for (std::size_t i = 0; i < asked.ops.size(); ++i) {
    std::int32_t error = 0;
    if (i == at_fault) error = number(reply.error);
    if (i > at_fault) error = number(Error::kRuntimeInconsistency);
    failed.results.push_back(
        {.op = wire::Op::kError, .err = error, .body = wire::ErrorReply{.err = error}});
  }
  return failed;
}

wire::MultiReply done_multi(const Asked& asked, const Reply& reply) {
  wire::MultiReply done;
  const std::vector<OpResult>& results = reply.details().results;
  for (std::size_t i = 0; i < asked.ops.size() && i < results.size(); ++i) {
    done.results.push_back(result_of(asked.ops[i], results[i]));
  }
  return done;
}

wire::MultiResult result_of(wire::Op op, const Reply& read) {
  if (read.is_error()) {
    const std::int32_t error = number(read.error);
    return {.op = wire::Op::kError, .err = error, .body = wire::ErrorReply{.err = error}};
  }
  if (op == wire::Op::kGetChildren) {
    return {.op = op, .body = wire::ChildrenReply{.children = names_of(read.children)}};
  }
  return {.op = op,
          .body = wire::DataReply{.data = buffer_of(read.data), .stat = stat_of(read.stat())}};
}

wire::Vector<wire::ClientInfo> infos_of(const std::vector<fakezk::Identity>& clients) {
  std::vector<wire::ClientInfo> infos;
  infos.reserve(clients.size());
  for (const fakezk::Identity& client : clients) {
    infos.push_back({.auth_scheme = client.scheme, .user = client.id});
  }
  return infos;
}

wire::Vector<wire::Ustring> texts_of(const std::vector<Path>& paths) {
  std::vector<wire::Ustring> texts;
  texts.reserve(paths.size());
  for (const Path& path : paths) texts.emplace_back(path.string());
  return texts;
}

wire::Reply::Body body_of(const Asked& asked, const fakezk::QueryAnswer& answer) {
  using wire::Op;
  switch (asked.op) {
    case Op::kWhoAmI: return wire::WhoAmIReply{.clients = infos_of(answer.clients)};
    case Op::kGetEphemerals: return wire::ChildrenReply{.children = texts_of(answer.ephemerals)};
    case Op::kGetAllChildrenNumber: return wire::NumberReply{.number = answer.descendants};
    case Op::kAddWatch: return wire::ErrorReply{.err = 0};
    default: break;
  }
  wire::MultiReply reads;
  for (std::size_t i = 0; i < answer.replies.size(); ++i) {
    reads.results.push_back(result_of(asked.ops[i], answer.replies[i]));
  }
  return reads;
}

wire::Reply::Body body_of(const Asked& asked, const Reply& reply) {
  using wire::Op;
  switch (asked.op) {
    case Op::kCreate: return wire::PathReply{.path = reply.path.string()};
    case Op::kSync: return wire::PathReply{.path = asked.path};
    case Op::kCreate2:
    case Op::kCreateContainer:
    case Op::kCreateTtl:
      return wire::Create2Reply{.path = reply.path.string(), .stat = stat_of(reply.stat())};
    case Op::kExists:
    case Op::kSetData:
    case Op::kSetAcl: return wire::StatReply{.stat = stat_of(reply.stat())};
    case Op::kGetData:
      return wire::DataReply{.data = buffer_of(reply.data), .stat = stat_of(reply.stat())};
    case Op::kGetChildren: return wire::ChildrenReply{.children = names_of(reply.children)};
    case Op::kGetChildren2:
      return wire::Children2Reply{.children = names_of(reply.children),
                                  .stat = stat_of(reply.children.parent())};
    case Op::kGetAcl:
      return wire::AclReply{.acl = acl_of(reply.details().acl), .stat = stat_of(reply.stat())};
    case Op::kMulti: return done_multi(asked, reply);
    default: return wire::Nothing{};
  }
}

}  // namespace

std::uint64_t to_password(const wire::Buffer& bytes) {
  if (!bytes || bytes->size() != kPasswordBytes) return 0;
  std::uint64_t password = 0;
  for (std::size_t i = 0; i < sizeof password; ++i) {
    password = password << 8U | static_cast<unsigned char>((*bytes)[i]);
  }
  return to_bytes(password) == *bytes ? password : 0;
}

// The second half repeats the first with inverted bits, so that any changed byte is noticed.
std::string to_bytes(std::uint64_t password) {
  std::string bytes;
  for (const std::uint64_t half : {password, ~password}) {
    for (int shift = 56; shift >= 0; shift -= 8) {
      bytes.push_back(static_cast<char>(half >> static_cast<unsigned>(shift) & 0xffU));
    }
  }
  return bytes;
}

std::string encode_header(std::int32_t xid, std::int64_t zxid, std::optional<Error> error) {
  return encode(wire::Reply{
      .xid = xid, .zxid = zxid, .err = error ? number(*error) : 0, .body = wire::Nothing{}});
}

std::string encode_reply(const Asked& asked, ServerMessage& message) {
  const Reply& reply = message.reply;
  wire::Reply out{.xid = asked.xid, .zxid = message.zxid, .err = 0, .body = wire::Nothing{}};
  if (asked.breaks_off && reply.error == Error::kMarshallingError) {
    out.err = number(reply.error);
    out.body = message.answer ? body_of(asked, *message.answer) : wire::MultiReply();
  } else if (message.answer && !reply.is_error()) {
    out.body = body_of(asked, *message.answer);
  } else if (!reply.is_error()) {
    out.body = body_of(asked, reply);
  } else if (asked.op == wire::Op::kMulti && reply.failed_op() >= 0) {
    out.body = failed_multi(asked, reply);
  } else {
    return encode_header(asked.xid, message.zxid, reply.error);
  }
  return encode(out);
}

std::string encode_event(const ServerMessage& message) {
  return encode(wire::Event{.zxid = -1,
                            .type = static_cast<std::int32_t>(message.event),
                            .state = kConnectedState,
                            .path = message.reply.path.string()});
}

}  // namespace lockstep::connection
