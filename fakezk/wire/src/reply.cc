#include "lockstep/wire/reply.h"

#include "messages.h"

namespace lockstep::wire {

namespace {

void write_multi(Writer& writer, const MultiReply& multi) {
  for (const MultiResult& result : multi.results) {
    must_fit(result.body, empty_result(result.op));
    write_header(writer, {result.op, false, result.err});
    write_body(writer, result.body);
  }
  write_header(writer, kEndOfMulti);
}

void read_multi(Reader& reader, MultiReply& multi) {
  for (;;) {
    const MultiHeader header = read_header(reader);
    if (reader.error() || header.done) return;
    std::optional<MultiResult::Body> body = empty_result(header.op);
    if (!body) return reader.fail(Malformed::kUnknownOp);
    read_body(reader, *body);
    multi.results.push_back({header.op, header.err, std::move(*body)});
  }
}

}  // namespace

std::string encode(const ConnectResponse& response) {
  std::string frame;
  Writer writer(frame);
  writer(response.protocol_version, response.timeout_ms, response.session, response.password);
  write_read_only(writer, response);
  return frame;
}

std::expected<ConnectResponse, Malformed> decode_connect_response(std::string_view frame) {
  Reader reader(frame);
  ConnectResponse response;
  reader(response.protocol_version, response.timeout_ms, response.session, response.password);
  read_read_only(reader, response);
  return unless_failed(reader, std::move(response));
}

std::string encode(const Event& event) {
  std::string frame;
  Writer writer(frame);
  writer(kEventXid, event.zxid, std::int32_t{0}, event.type, event.state, event.path);
  return frame;
}

std::expected<Event, Malformed> decode_event(std::string_view frame) {
  Reader reader(frame);
  Event event;
  std::int32_t xid = 0;
  std::int32_t err = 0;
  reader(xid, event.zxid, err, event.type, event.state, event.path);
  if (xid != kEventXid && !reader.error()) reader.fail(Malformed::kNotThisRecord);
  return unless_failed(reader, std::move(event));
}

std::optional<MultiResult::Body> empty_result(Op op) {
  switch (op) {
    case Op::kCreate: return PathReply();
    case Op::kCreate2:
    case Op::kCreateContainer:
    case Op::kCreateTtl: return Create2Reply();
    case Op::kSetData: return StatReply();
    case Op::kGetChildren: return ChildrenReply();
    case Op::kGetData: return DataReply();
    case Op::kDelete:
    case Op::kCheck: return Nothing();
    case Op::kError: return ErrorReply();
    default: return std::nullopt;
  }
}

std::optional<Reply::Body> empty_reply(Op op) {
  switch (op) {
    case Op::kPing:
    case Op::kCloseSession:
    case Op::kDelete:
    case Op::kDeleteContainer:
    case Op::kCheck:
    case Op::kCheckWatches:
    case Op::kRemoveWatches:
    case Op::kAuth:
    case Op::kSetWatches:
    case Op::kSetWatches2: return Nothing();
    case Op::kCreate:
    case Op::kSync: return PathReply();
    case Op::kCreate2:
    case Op::kCreateContainer:
    case Op::kCreateTtl: return Create2Reply();
    case Op::kExists:
    case Op::kSetData:
    case Op::kSetAcl: return StatReply();
    case Op::kGetData:
    case Op::kReconfig: return DataReply();
    case Op::kGetChildren:
    case Op::kGetEphemerals: return ChildrenReply();
    case Op::kGetChildren2: return Children2Reply();
    case Op::kGetAcl: return AclReply();
    case Op::kGetAllChildrenNumber: return NumberReply();
    case Op::kAddWatch: return ErrorReply();
    case Op::kWhoAmI: return WhoAmIReply();
    case Op::kSasl: return Token();
    case Op::kMulti:
    case Op::kMultiRead: return MultiReply();
    case Op::kNotification:
    case Op::kError: break;
  }
  return std::nullopt;
}

std::string encode(const Reply& reply) {
  std::string frame;
  Writer writer(frame);
  writer(reply.xid, reply.zxid, reply.err);
  if (reply.err != 0 && !std::holds_alternative<MultiReply>(reply.body)) return frame;
  if (const auto* const multi = std::get_if<MultiReply>(&reply.body)) {
    write_multi(writer, *multi);
  } else {
    write_body(writer, reply.body);
  }
  return frame;
}

std::expected<Reply, Malformed> decode_reply(Op op, std::string_view frame) {
  std::optional<Reply::Body> body = empty_reply(op);
  if (!body) return std::unexpected(Malformed::kUnknownOp);
  Reader reader(frame);
  Reply reply;
  reader(reply.xid, reply.zxid, reply.err);
  if (reply.xid == kEventXid) reader.fail(Malformed::kNotThisRecord);
  if (reader.error()) return std::unexpected(*reader.error());
  const bool is_multi = std::holds_alternative<MultiReply>(*body);
  if (reply.err != 0 && (!is_multi || reader.left() == 0)) return reply;
  reply.body = std::move(*body);
  if (auto* const multi = std::get_if<MultiReply>(&reply.body)) {
    read_multi(reader, *multi);
  } else {
    read_body(reader, reply.body);
  }
  return unless_failed(reader, std::move(reply));
}

std::expected<std::int32_t, Malformed> xid_of(std::string_view frame) {
  Reader reader(frame);
  std::int32_t xid = 0;
  reader(xid);
  return unless_failed(reader, xid);
}

}  // namespace lockstep::wire
