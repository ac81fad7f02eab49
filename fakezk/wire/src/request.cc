#include "lockstep/wire/request.h"

#include "messages.h"

namespace lockstep::wire {

namespace {

void write_multi(Writer& writer, const MultiRequest& multi) {
  for (const MultiOp& op : multi.ops) {
    must_fit(op.body, empty_multi_body(op.op));
    write_header(writer, {op.op, false, -1});
    write_body(writer, op.body);
  }
  write_header(writer, kEndOfMulti);
}

void read_multi(Reader& reader, MultiRequest& multi) {
  for (;;) {
    const MultiHeader header = read_header(reader);
    if (reader.error() || header.done) return;
    std::optional<MultiOp::Body> body = empty_multi_body(header.op);
    if (!body) return reader.fail(Malformed::kUnknownOp);
    read_body(reader, *body);
    multi.ops.push_back({header.op, std::move(*body)});
  }
}

}  // namespace

std::string encode(const ConnectRequest& request) {
  std::string frame;
  Writer writer(frame);
  writer(request.protocol_version, request.last_zxid_seen, request.timeout_ms, request.session,
         request.password);
  write_read_only(writer, request);
  return frame;
}

std::expected<ConnectRequest, Malformed> decode_connect_request(std::string_view frame) {
  Reader reader(frame);
  ConnectRequest request;
  reader(request.protocol_version, request.last_zxid_seen, request.timeout_ms, request.session,
         request.password);
  read_read_only(reader, request);
  return unless_failed(reader, std::move(request));
}

std::optional<MultiOp::Body> empty_multi_body(Op op) {
  switch (op) {
    case Op::kCreate:
    case Op::kCreate2:
    case Op::kCreateContainer: return CreateRequest();
    case Op::kCreateTtl: return CreateTtlRequest();
    case Op::kDelete:
    case Op::kCheck: return VersionRequest();
    case Op::kSetData: return SetDataRequest();
    case Op::kGetChildren:
    case Op::kGetData: return ReadRequest();
    default: return std::nullopt;
  }
}

std::optional<Request::Body> empty_body(Op op) {
  switch (op) {
    case Op::kPing:
    case Op::kCloseSession:
    case Op::kDeleteContainer:
    case Op::kWhoAmI: return Nothing();
    case Op::kCreate:
    case Op::kCreate2:
    case Op::kCreateContainer: return CreateRequest();
    case Op::kCreateTtl: return CreateTtlRequest();
    case Op::kDelete:
    case Op::kCheck: return VersionRequest();
    case Op::kExists:
    case Op::kGetData:
    case Op::kGetChildren:
    case Op::kGetChildren2: return ReadRequest();
    case Op::kSetData: return SetDataRequest();
    case Op::kGetAcl:
    case Op::kSync:
    case Op::kGetEphemerals:
    case Op::kGetAllChildrenNumber: return PathRequest();
    case Op::kSetAcl: return SetAclRequest();
    case Op::kMulti:
    case Op::kMultiRead: return MultiRequest();
    case Op::kReconfig: return ReconfigRequest();
    case Op::kCheckWatches:
    case Op::kRemoveWatches:
    case Op::kAddWatch: return WatchesRequest();
    case Op::kAuth: return AuthPacket();
    case Op::kSasl: return Token();
    case Op::kSetWatches: return SetWatches();
    case Op::kSetWatches2: return SetWatches2();
    case Op::kNotification:
    case Op::kError: break;
  }
  return std::nullopt;
}

std::string encode(const Request& request) {
  must_fit(request.body, empty_body(request.op));
  std::string frame;
  Writer writer(frame);
  writer(request.xid, static_cast<std::int32_t>(request.op));
  if (const auto* const multi = std::get_if<MultiRequest>(&request.body)) {
    write_multi(writer, *multi);
  } else {
    write_body(writer, request.body);
  }
  return frame;
}

std::expected<Request, Malformed> decode_request(std::string_view frame) {
  Reader reader(frame);
  Request request;
  std::int32_t op = 0;
  reader(request.xid, op);
  if (reader.error()) return std::unexpected(*reader.error());
  request.op = static_cast<Op>(op);
  std::optional<Request::Body> body = empty_body(request.op);
  if (!body) return std::unexpected(Malformed::kUnknownOp);
  request.body = std::move(*body);
  if (auto* const multi = std::get_if<MultiRequest>(&request.body)) {
    read_multi(reader, *multi);
  } else {
    read_body(reader, request.body);
  }
  return unless_failed(reader, std::move(request));
}

}  // namespace lockstep::wire
