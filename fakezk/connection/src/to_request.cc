#include <algorithm>
#include <chrono>
#include <iterator>
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

// A write that the leader refuses with this error: see message.h for the ways to do that.
lockstep::Request refusal(CreateMode way, Error error) {
  lockstep::Request request(OpCode::kCreate, Path(Text("")));
  request.mode = way;
  request.version = static_cast<std::int32_t>(error);
  return request;
}

// The server does not expect a null id in the schemes that it knows
// (PrepRequestProcessor.fixupACL).
bool lacks_id(const wire::Acl& entry) {
  const std::string scheme = entry.id.scheme.value_or("");
  return !entry.id.id && (scheme == "world" || scheme == "digest" || scheme == "ip");
}

AclEntry entry_of(const wire::Acl& entry) {
  std::string scheme(entry.id.scheme.value_or(""));
  if (scheme == fakezk::kUnexpectedScheme) scheme.clear();  // As unknown as any other.
  if (lacks_id(entry)) scheme = fakezk::kUnexpectedScheme;
  return {entry.perms, std::move(scheme), std::string(entry.id.id.value_or(""))};
}

// Whether the server fails when it compares an entry with an earlier one, because of a null scheme
// or id (PrepRequestProcessor.removeDuplicates, data.Id.equals).
bool is_incomparable(const wire::Acl& entry, const wire::Acl& earlier) {
  if (entry.perms != earlier.perms) return false;
  return !entry.id.scheme || (entry.id.scheme == earlier.id.scheme && !entry.id.id);
}

// A null list is as invalid as an empty one (PrepRequestProcessor.fixupACL).
Acl acl_of(const wire::Vector<wire::Acl>& list) {
  std::vector<AclEntry> entries;
  if (list) {
    for (auto entry = list->begin(); entry != list->end(); ++entry) {
      if (std::any_of(list->begin(), entry,
                      [&](const wire::Acl& earlier) { return is_incomparable(*entry, earlier); })) {
        return Acl({{permission::kAll, std::string(fakezk::kUnexpectedScheme), ""}});
      }
      entries.push_back(entry_of(*entry));
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

// The server looks at the flags and the time before it looks at the session, and then at the path
// and the ACL (PrepRequestProcessor.pRequest2TxnCreate).
template <class Create>
Translated create(const Create& body, std::int64_t ttl_ms, bool ttl_enabled) {
  if (!is_mode(body.flags)) return refusal(fakezk::kRefused, Error::kBadArguments);
  const auto mode = static_cast<CreateMode>(body.flags);
  if (has_ttl(mode) && !ttl_enabled) return refusal(fakezk::kRefused, Error::kUnimplemented);
  if (!fits(mode, ttl_ms)) return refusal(fakezk::kRefused, Error::kBadArguments);
  Translated request = at(OpCode::kCreate, body.path);
  if (!request) return request;
  request->mode = mode;
  request->data = data_of(body.data);
  const std::chrono::milliseconds ttl(has_ttl(mode) ? ttl_ms : 0);
  request->set_details(RequestDetails(acl_of(body.acl), ttl));
  return request;
}

Translated to_create(const wire::CreateRequest& body, bool ttl_enabled) {
  return create(body, -1, ttl_enabled);
}

// Alone, the operation decides what is a container, and the flags only what gets a number
// (PrepRequestProcessor.pRequest2TxnCreate, DataTree.processTxn).
Translated to_single_create(wire::Op op, const wire::CreateRequest& body, bool ttl_enabled) {
  Translated request = to_create(body, ttl_enabled);
  if (!request || has_ttl(request->mode) || fakezk::is_refused(*request)) return request;
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
  if (request) request->set_details(RequestDetails(acl_of(body.acl)));
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
    // The server expects the time, too.
    if (has_mode(op, &has_ttl)) return refusal(fakezk::kRefused, kUnreadable);
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

bool reads(const wire::MultiOp& op) { return std::holds_alternative<wire::ReadRequest>(op.body); }
bool lacks_path(const wire::MultiOp& op) {
  return std::visit([](const auto& of) { return !of.path; }, op.body);
}
// The server cannot read a multi of reads and other operations
// (MultiOperationRecord.setOrCheckOpKind).
bool is_mixed(const wire::MultiRequest& multi) {
  const auto count = std::ranges::count_if(multi.ops, &reads);
  return count != 0 && count != std::ssize(multi.ops);
}

// A null path fails the whole multi before there is a transaction
// (PrepRequestProcessor.getPendingChanges), and so does a read, in a transaction
// (MultiOperationRecord.deserialize, PrepRequestProcessor.pRequestHelper); any other error is that
// of its operation in its turn.
Translated to_multi(const wire::MultiRequest& body, bool ttl_enabled) {
  const auto unreadable = [](CreateMode way) { return refusal(way, kUnreadable); };
  if (is_mixed(body)) return unreadable(fakezk::kRefused);
  if (std::ranges::any_of(body.ops, &lacks_path)) return unreadable(fakezk::kRefusedUnlogged);
  if (!body.ops.empty() && reads(body.ops.front())) return unreadable(fakezk::kRefused);
  std::vector<lockstep::Request> ops;
  for (const wire::MultiOp& op : body.ops) {
    Translated translated = to_op_of_multi(op, ttl_enabled);
    if (!translated) return translated;
    ops.push_back(*std::move(translated));
  }
  lockstep::Request multi(OpCode::kMulti, Path(Text()));
  multi.set_details(RequestDetails(std::move(ops)));
  return multi;
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

// The server drops the watch flags (Op.GetData.toRequestRecord). It fails at a null path, or at an
// operation that is none of these, after it has read what comes before.
Asked to_multi_read(const wire::MultiRequest& body) {
  if (is_mixed(body)) return refused(kUnreadable);
  fakezk::Query query(fakezk::Query::Kind::kReads);
  for (const wire::MultiOp& op : body.ops) {
    const auto* const asked = std::get_if<wire::ReadRequest>(&op.body);
    query.breaks_off = asked == nullptr || !asked->path;
    if (query.breaks_off) break;
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

// The server asks for the session of these before it reads them
// (PrepRequestProcessor.pRequest2Txn).
bool is_read_late(wire::Op op) {
  return op == wire::Op::kDelete || op == wire::Op::kSetData || op == wire::Op::kSetAcl;
}

Translated translate(const wire::Request& request, bool ttl_enabled) {
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
    case Op::kDeleteContainer: return refusal(fakezk::kRefused, Error::kBadArguments);
    case Op::kMulti: return to_multi(std::get<wire::MultiRequest>(body), ttl_enabled);
    case Op::kCheckWatches:
      return to_watches(OpCode::kCheckWatches, std::get<wire::WatchesRequest>(body));
    case Op::kRemoveWatches:
      return to_watches(OpCode::kRemoveWatches, std::get<wire::WatchesRequest>(body));
    case Op::kAuth: return to_auth(std::get<wire::AuthPacket>(body));
    case Op::kCloseSession: return lockstep::Request(OpCode::kClose, Path(Text()));
    case Op::kReconfig: return refusal(fakezk::kRefused, kReconfigDisabled);
    default: return refused(Error::kUnimplemented);
  }
}

}  // namespace

std::expected<lockstep::Request, Error> to_request(const wire::Request& request, bool ttl_enabled) {
  Translated translated = translate(request, ttl_enabled);
  if (translated || !takes_zxid(request.op)) return translated;
  return refusal(fakezk::kRefusedInSession, translated.error());
}

std::optional<lockstep::Request> to_unreadable(wire::Op op) {
  if (!takes_zxid(op)) return std::nullopt;
  return refusal(is_read_late(op) ? fakezk::kRefusedInSession : fakezk::kRefused, kUnreadable);
}

}  // namespace lockstep::connection
