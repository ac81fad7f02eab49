#include <chrono>
#include <utility>
#include <variant>

#include "translation.h"

namespace lockstep::connection {

namespace {

using Translated = std::expected<lockstep::Request, Error>;

std::unexpected<Error> refused(Error error) { return std::unexpected(error); }

// A server answers this if it cannot process the content of a request (PrepRequestProcessor and
// FinalRequestProcessor, catch of Exception; seen on 3.8.0).
constexpr Error kUnreadable = Error::kMarshallingError;

// The error of a server without reconfigEnabled (PrepRequestProcessor.pRequest2Txn,
// KeeperException.Code RECONFIGDISABLED). No Session meets it.
constexpr auto kReconfigDisabled = static_cast<Error>(-123);

Data data_of(const wire::Buffer& bytes) { return bytes ? Data(std::string_view(*bytes)) : Data(); }

// The server does not expect a null id in the schemes that it knows
// (PrepRequestProcessor.fixupACL).
bool lacks_id(const wire::Acl& entry) {
  const std::string scheme = entry.id.scheme.value_or("");
  return !entry.id.id && (scheme == "world" || scheme == "digest" || scheme == "ip");
}

// A null list is as invalid as an empty one (PrepRequestProcessor.fixupACL).
std::expected<Acl, Error> acl_of(const wire::Vector<wire::Acl>& list) {
  std::vector<AclEntry> entries;
  if (list) {
    for (const wire::Acl& entry : *list) {
      if (lacks_id(entry)) return refused(kUnreadable);
      entries.emplace_back(entry.perms, entry.id.scheme.value_or(""), entry.id.id.value_or(""));
    }
  }
  Acl acl(std::move(entries));
  return acl.is_open() ? Acl() : acl;
}

Translated at(OpCode op, const wire::Ustring& path) {
  if (!path) return refused(kUnreadable);
  return lockstep::Request(op, Path(std::string_view(*path)));
}

// CreateMode.fromFlag knows only these flags.
bool is_mode(std::int32_t flags) { return flags >= 0 && flags <= 6; }

// EphemeralType.validateTTL; a request without a time to live has a negative one.
bool fits(CreateMode mode, std::int64_t ttl_ms) {
  constexpr std::int64_t kLongestTtlMs = 0xffffffffff;
  return has_ttl(mode) ? ttl_ms > 0 && ttl_ms <= kLongestTtlMs : ttl_ms < 0;
}

// The server looks at the flags and the time before it looks at the path and the ACL. A mode that
// it is not configured for it refuses in any case (PrepRequestProcessor.pRequest2TxnCreate).
template <class Create>
Translated create(const Create& body, std::int64_t ttl_ms, bool ttl_enabled) {
  if (!is_mode(body.flags)) return refused(Error::kBadArguments);
  const auto mode = static_cast<CreateMode>(body.flags);
  const bool unimplemented = has_ttl(mode) && !ttl_enabled;
  if (!unimplemented && !fits(mode, ttl_ms)) return refused(Error::kBadArguments);
  Translated request = at(OpCode::kCreate, unimplemented ? wire::Ustring("") : body.path);
  if (!request) return request;
  auto acl = unimplemented ? Acl() : acl_of(body.acl);
  if (!acl) return refused(acl.error());
  request->mode = mode;
  request->data = data_of(body.data);
  const std::chrono::milliseconds ttl(has_ttl(mode) ? ttl_ms : 0);
  request->set_details(RequestDetails(std::move(*acl), ttl));
  return request;
}

Translated to_create(const wire::CreateRequest& body, bool ttl_enabled) {
  return create(body, -1, ttl_enabled);
}

// Alone, the operation decides what is a container, and the flags only what gets a number
// (PrepRequestProcessor.pRequest2TxnCreate, DataTree.processTxn).
Translated to_single_create(wire::Op op, const wire::CreateRequest& body, bool ttl_enabled) {
  Translated request = to_create(body, ttl_enabled);
  if (!request || has_ttl(request->mode)) return request;
  if (op == wire::Op::kCreateContainer) {
    request->mode =
        is_sequential(request->mode) ? fakezk::kSequentialContainer : CreateMode::kContainer;
  } else if (request->mode == CreateMode::kContainer) {
    request->mode = CreateMode::kPersistent;
  }
  return request;
}

Translated to_create(const wire::CreateTtlRequest& body, bool ttl_enabled) {
  return create(body, body.ttl_ms, ttl_enabled);
}

Translated to_read(OpCode op, const wire::ReadRequest& body) {
  Translated request = at(op, body.path);
  const bool has_nul = body.path && body.path->find('\0') != std::string::npos;
  if (op == OpCode::kExists && has_nul) return refused(Error::kBadArguments);
  if (request) request->watched = body.watch;
  return request;
}

Translated to_versioned(OpCode op, const wire::Ustring& path, std::int32_t version) {
  Translated request = at(op, path);
  if (request) request->version = version;
  return request;
}

// PrepRequestProcessor.validatePath refuses a null path of a setData or a setACL as it refuses a
// malformed one.
Translated to_set_data(const wire::SetDataRequest& body) {
  if (!body.path) return refused(Error::kBadArguments);
  Translated request = to_versioned(OpCode::kSetData, body.path, body.version);
  if (request) request->data = data_of(body.data);
  return request;
}

Translated to_set_acl(const wire::SetAclRequest& body) {
  if (!body.path) return refused(Error::kBadArguments);
  Translated request = to_versioned(OpCode::kSetAcl, body.path, body.version);
  if (!request) return request;
  auto acl = acl_of(body.acl);
  if (!acl) return refused(acl.error());
  request->set_details(RequestDetails(std::move(*acl)));
  return request;
}

Translated to_watches(OpCode op, const wire::WatchesRequest& body) {
  if (body.type < 1 || body.type > 3) return refused(kUnreadable);  // WatcherType.fromInt
  // A watch may stand on a null path, which is no znode's, like the empty one.
  const bool removes = op == OpCode::kRemoveWatches;
  Translated request = at(op, removes ? body.path.value_or("") : body.path);
  if (request) request->watch_type = static_cast<WatchType>(body.type);
  return request;
}

// Whether a create in a multi has the flags of that mode, which decide there, not the operation
// (Op.create).
bool has_mode(const wire::MultiOp& op, bool (*is_it)(CreateMode)) {
  std::int32_t flags = -1;
  if (const auto* const body = std::get_if<wire::CreateRequest>(&op.body)) flags = body->flags;
  if (const auto* const body = std::get_if<wire::CreateTtlRequest>(&op.body)) flags = body->flags;
  return is_mode(flags) && is_it(static_cast<CreateMode>(flags));
}

bool contains(CreateMode mode) { return mode == CreateMode::kContainer; }

Translated to_create_in_multi(const wire::MultiOp& op, bool ttl_enabled) {
  if (const auto* const body = std::get_if<wire::CreateRequest>(&op.body)) {
    if (has_mode(op, &has_ttl)) return refused(kUnreadable);  // The server expects the time, too.
    return to_create(*body, ttl_enabled);
  }
  const auto& body = std::get<wire::CreateTtlRequest>(op.body);
  if (has_mode(op, &has_ttl)) return to_create(body, ttl_enabled);
  const wire::CreateRequest without_time{body.path, body.data, body.acl, body.flags};
  return to_create(without_time, ttl_enabled);
}

Translated to_op_of_multi(const wire::MultiOp& op, bool ttl_enabled) {
  switch (op.op) {
    case wire::Op::kCreate:
    case wire::Op::kCreate2:
    case wire::Op::kCreateContainer:
    case wire::Op::kCreateTtl: return to_create_in_multi(op, ttl_enabled);
    case wire::Op::kSetData: return to_set_data(std::get<wire::SetDataRequest>(op.body));
    case wire::Op::kDelete:
    case wire::Op::kCheck: {
      const auto& body = std::get<wire::VersionRequest>(op.body);
      const OpCode code = op.op == wire::Op::kDelete ? OpCode::kRemove : OpCode::kCheck;
      return to_versioned(code, body.path, body.version);
    }
    default: return refused(kUnreadable);
  }
}

// An operation that the servers refuse in its turn with this error: they take no empty path, and
// cannot read a read in a multi.
lockstep::Request refused_op(Error error) {
  return {error == kUnreadable ? OpCode::kGetData : OpCode::kCreate, Path(Text(""))};
}

lockstep::Request multi_of(std::vector<lockstep::Request> ops) {
  lockstep::Request multi(OpCode::kMulti, Path(Text()));
  multi.set_details(RequestDetails(std::move(ops)));
  return multi;
}

// A read and a null path fail the whole multi (MultiOperationRecord.deserialize,
// PrepRequestProcessor.getPendingChanges), any other error its operation in its turn.
Translated to_multi(const wire::MultiRequest& body, bool ttl_enabled) {
  std::vector<lockstep::Request> ops;
  for (const wire::MultiOp& op : body.ops) {
    const bool reads = std::holds_alternative<wire::ReadRequest>(op.body);
    const bool is_there = std::visit([](const auto& of) { return of.path.has_value(); }, op.body);
    if (reads || !is_there) return refused(kUnreadable);
    Translated translated = to_op_of_multi(op, ttl_enabled);
    ops.push_back(translated ? std::move(*translated) : refused_op(translated.error()));
  }
  return multi_of(std::move(ops));
}

// A null scheme is an unknown one (ZooKeeperServer.processPacket: kAuthFailed, seen on 3.8.0).
Translated to_auth(const wire::AuthPacket& body) {
  lockstep::Request auth(OpCode::kAddAuth, Path());
  auth.set_details(RequestDetails(Text(body.scheme.value_or(""))));
  auth.data = data_of(body.auth);
  return auth;
}

}  // namespace

namespace {

using Asked = std::expected<fakezk::Query, Error>;

Asked query_at(fakezk::Query::Kind kind, const wire::Ustring& path) {
  if (!path) return refused(kUnreadable);
  fakezk::Query query(kind);
  query.path = Path(std::string_view(*path));
  return query;
}

Asked to_add_watch(const wire::WatchesRequest& body) {
  if (body.type != 0 && body.type != 1) return refused(kUnreadable);  // WatcherMode.fromZooDef
  Asked query = query_at(fakezk::Query::Kind::kAddWatch, body.path.value_or(""));
  if (!query) return query;
  query->mode = body.type == 0 ? fakezk::WatchMode::kPersistent : fakezk::WatchMode::kRecursive;
  return query;
}

// The server drops the watch flags (Op.GetData.toRequestRecord).
Asked to_multi_read(const wire::MultiRequest& body) {
  fakezk::Query query(fakezk::Query::Kind::kReads);
  for (const wire::MultiOp& op : body.ops) {
    const auto* const asked = std::get_if<wire::ReadRequest>(&op.body);
    if (asked == nullptr || !asked->path) return refused(kUnreadable);
    const OpCode code = op.op == wire::Op::kGetChildren ? OpCode::kGetChildren : OpCode::kGetData;
    query.reads.emplace_back(code, Path(std::string_view(*asked->path)));
  }
  return query;
}

}  // namespace

std::optional<std::expected<fakezk::Query, Error>> to_query(const wire::Request& request) {
  using Kind = fakezk::Query::Kind;
  const auto& body = request.body;
  switch (request.op) {
    case wire::Op::kWhoAmI: return fakezk::Query(Kind::kWhoAmI);
    // A missing prefix is the empty one.
    case wire::Op::kGetEphemerals:
      return query_at(Kind::kEphemerals, std::get<wire::PathRequest>(body).path.value_or(""));
    case wire::Op::kGetAllChildrenNumber:
      return query_at(Kind::kDescendants, std::get<wire::PathRequest>(body).path);
    case wire::Op::kMultiRead: return to_multi_read(std::get<wire::MultiRequest>(body));
    case wire::Op::kAddWatch: return to_add_watch(std::get<wire::WatchesRequest>(body));
    default: return std::nullopt;
  }
}

// The flags decide: a container or a time to live is answered as create2, everything else as
// create, even a create2 (Op.Create's constructor, FinalRequestProcessor; seen on 3.8.0).
wire::Op result_of(const wire::MultiOp& op) {
  if (has_mode(op, &has_ttl) || has_mode(op, &contains)) return wire::Op::kCreate2;
  const bool creates = op.op == wire::Op::kCreate2 || op.op == wire::Op::kCreateContainer ||
                       op.op == wire::Op::kCreateTtl;
  return creates ? wire::Op::kCreate : op.op;
}

namespace {

// The server takes the zxid of such a request before it reads it
// (PrepRequestProcessor.pRequestHelper).
bool takes_zxid(wire::Op op) {
  switch (op) {
    case wire::Op::kCreate:
    case wire::Op::kCreate2:
    case wire::Op::kCreateContainer:
    case wire::Op::kCreateTtl:
    case wire::Op::kDelete:
    case wire::Op::kDeleteContainer:
    case wire::Op::kSetData:
    case wire::Op::kSetAcl:
    case wire::Op::kMulti: return true;
    default: return false;
  }
}

}  // namespace

std::optional<lockstep::Request> to_refused(wire::Op op, Error error) {
  if (!takes_zxid(op)) return std::nullopt;
  if (error == Error::kBadArguments) return refused_op(error);
  if (error == kUnreadable) return multi_of({refused_op(error)});
  return std::nullopt;
}

std::expected<lockstep::Request, Error> to_request(const wire::Request& request, bool ttl_enabled) {
  using wire::Op;
  const auto& body = request.body;
  switch (request.op) {
    case Op::kCreate:
    case Op::kCreate2:
    case Op::kCreateContainer:
      return to_single_create(request.op, std::get<wire::CreateRequest>(body), ttl_enabled);
    case Op::kCreateTtl: return to_create(std::get<wire::CreateTtlRequest>(body), ttl_enabled);
    case Op::kDelete: {
      const auto& removed = std::get<wire::VersionRequest>(body);
      return to_versioned(OpCode::kRemove, removed.path, removed.version);
    }
    case Op::kExists: return to_read(OpCode::kExists, std::get<wire::ReadRequest>(body));
    case Op::kGetData: return to_read(OpCode::kGetData, std::get<wire::ReadRequest>(body));
    case Op::kGetChildren:
    case Op::kGetChildren2: return to_read(OpCode::kGetChildren, std::get<wire::ReadRequest>(body));
    case Op::kSetData: return to_set_data(std::get<wire::SetDataRequest>(body));
    case Op::kGetAcl: return at(OpCode::kGetAcl, std::get<wire::PathRequest>(body).path);
    case Op::kSetAcl: return to_set_acl(std::get<wire::SetAclRequest>(body));
    case Op::kSync:
      return lockstep::Request(OpCode::kSync, Path(Text()));  // Any path, or null.
    // The server takes the header for the path (PrepRequestProcessor.pRequest2Txn).
    case Op::kDeleteContainer: return refused(Error::kBadArguments);
    case Op::kMulti: return to_multi(std::get<wire::MultiRequest>(body), ttl_enabled);
    case Op::kCheckWatches:
      return to_watches(OpCode::kCheckWatches, std::get<wire::WatchesRequest>(body));
    case Op::kRemoveWatches:
      return to_watches(OpCode::kRemoveWatches, std::get<wire::WatchesRequest>(body));
    case Op::kAuth: return to_auth(std::get<wire::AuthPacket>(body));
    case Op::kCloseSession: return lockstep::Request(OpCode::kClose, Path(Text()));
    case Op::kReconfig: return refused(kReconfigDisabled);
    default: return refused(Error::kUnimplemented);
  }
}

}  // namespace lockstep::connection
