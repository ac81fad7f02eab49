#include "lockstep/fakezk/preparation.h"

#include <algorithm>
#include <optional>

#include "lockstep/fakezk/message.h"
#include "lockstep/internal/path_rules.h"

namespace lockstep::fakezk {

namespace {

std::unexpected<Error> refused(Error error) { return std::unexpected(error); }

bool version_matches(std::int32_t expected, std::int32_t actual) {
  return expected == -1 || expected == actual;
}

// Java's int wraps around.
std::int32_t next(std::int32_t number) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(number) + 1);
}

Lifetime lifetime_of(CreateMode mode) {
  if (is_ephemeral(mode)) return Lifetime::kEphemeral;
  if (has_ttl(mode)) return Lifetime::kTtl;
  const bool contains = mode == CreateMode::kContainer || mode == kSequentialContainer;
  return contains ? Lifetime::kContainer : Lifetime::kPersistent;
}

bool has_sequence(CreateMode mode) { return is_sequential(mode) || mode == kSequentialContainer; }

}  // namespace

inline const ZnodeFacts& Preparation::committed(PathId id) const {
  static constexpr ZnodeFacts kNothing;
  const Znode* const znode = tree_->find(id);
  return znode ? *znode : kNothing;
}

inline const ZnodeFacts& Preparation::look(PathId id) {
  const ZnodeFacts& found = committed(id);
  if (!has_changes_) [[likely]]
    return found;
  return look_ahead(id, found);
}

std::expected<void, Error> Preparation::prepare(const Request& request, PathId path) {
  switch (request.op) {
    case OpCode::kCreate: return create(request, path);
    case OpCode::kRemove: return remove(request, path);
    case OpCode::kSetData: return set_data(request, path);
    case OpCode::kSetAcl: return set_acl(request, path);
    case OpCode::kCheck: return check(request, path);
    // A read in a multi (PrepRequestProcessor.pRequestHelper).
    default: return refused(Error::kMarshallingError);
  }
}

std::expected<void, Error> Preparation::create(const Request& request, PathId asked) {
  if (is_refused(request)) return refused(refusal_of(request));
  if (has_ttl(request.mode) && !ttl_enabled_) return refused(Error::kUnimplemented);
  const PathId parent_id = parent_of(asked);
  if (parent_id == kNoPath) return refused(Error::kBadArguments);
  std::expected<Acl, Error> acl;
  if (!request.plain()) acl = acls_.accept(request.acl(), asker_.identities, unspecified_);
  if (!acl) return refused(acl.error());
  const ZnodeFacts& parent = look(parent_id);
  if (!parent.exists) return refused(Error::kNoNode);
  if (!allowed(parent, permission::kCreate)) return refused(Error::kNoAuth);
  path_ = has_sequence(request.mode) ? paths_->intern_sequential(asked, parent.children_created)
                                     : asked;
  if (!paths_->valid(path_)) return refused(Error::kBadArguments);
  if (look(path_).exists) return refused(Error::kNodeExists);
  if (parent.lifetime == Lifetime::kEphemeral) return refused(Error::kNoChildrenForEphemerals);

  const Lifetime lifetime = lifetime_of(request.mode);
  const SessionId owner = lifetime == Lifetime::kEphemeral ? asker_.session : 0;
  Change& made = change(Change::Kind::kCreated, owner);
  made.data = request.data;
  made.acl = acls_.keep(*acl);
  made.lifetime = lifetime;
  made.ttl_ms = has_ttl(request.mode) ? request.ttl().count() : 0;
  made.version = next(parent.children_created);
  return {};
}

std::expected<void, Error> Preparation::remove(const Request& request, PathId path) {
  const bool usual = paths_->valid(path) && path > PathTable::kQuota;
  if (!usual && !server_can_remove(request.path.view())) return refused(Error::kBadArguments);
  path_ = path;
  const ZnodeFacts& parent = look(paths_->parent(path_));
  if (!parent.exists) return refused(Error::kNoNode);
  if (!allowed(parent, permission::kDelete)) return refused(Error::kNoAuth);
  const ZnodeFacts& node = look(path_);
  if (!node.exists) return refused(Error::kNoNode);
  if (!version_matches(request.version, node.version)) return refused(Error::kBadVersion);
  if (node.num_children > 0) return refused(Error::kNotEmpty);
  change(Change::Kind::kDeleted, node.ephemeral_owner);
  return {};
}

std::expected<void, Error> Preparation::set_data(const Request& request, PathId path) {
  if (!paths_->valid(path)) return refused(Error::kBadArguments);
  path_ = path;
  const ZnodeFacts& node = look(path_);
  if (!node.exists) return refused(Error::kNoNode);
  if (!allowed(node, permission::kWrite)) return refused(Error::kNoAuth);
  if (!version_matches(request.version, node.version)) return refused(Error::kBadVersion);
  Change& made = change(Change::Kind::kDataSet, node.ephemeral_owner);
  made.data = request.data;
  made.version = next(node.version);
  return {};
}

std::expected<void, Error> Preparation::set_acl(const Request& request, PathId path) {
  if (!paths_->valid(path)) return refused(Error::kBadArguments);
  const std::expected<Acl, Error> acl =
      acls_.accept(request.acl(), asker_.identities, unspecified_);
  if (!acl) return refused(acl.error());
  path_ = path;
  const ZnodeFacts& node = look(path_);
  if (!node.exists) return refused(Error::kNoNode);
  if (!allowed(node, permission::kAdmin)) return refused(Error::kNoAuth);
  if (!version_matches(request.version, node.aversion)) return refused(Error::kBadVersion);
  Change& made = change(Change::Kind::kAclSet, node.ephemeral_owner);
  made.acl = acls_.keep(*acl);
  made.version = next(node.aversion);
  return {};
}

std::expected<void, Error> Preparation::check(const Request& request, PathId path) {
  if (!paths_->valid(path)) return refused(Error::kBadArguments);
  path_ = path;
  const ZnodeFacts& node = look(path_);
  if (!node.exists) return refused(Error::kNoNode);
  if (!allowed(node, permission::kRead)) return refused(Error::kNoAuth);
  if (!version_matches(request.version, node.version)) return refused(Error::kBadVersion);
  change(Change::Kind::kChecked, node.ephemeral_owner);
  return {};
}

std::expected<void, Error> Preparation::reap(PathId id) {
  path_ = id;
  const ZnodeFacts& node = look(id);
  if (!node.exists) return refused(Error::kNoNode);
  if (node.num_children > 0) return refused(Error::kNotEmpty);
  if (node.lifetime == Lifetime::kEphemeral) return refused(Error::kBadVersion);
  change(Change::Kind::kDeleted, node.ephemeral_owner);
  return {};
}

void Preparation::remove_ephemeral(PathId id) {
  const Znode* const znode = tree_->find(id);
  change(Change::Kind::kDeleted, id, znode ? znode->ephemeral_owner : 0);
}

void Preparation::forget_changes() {
  history_.erase(history_.begin() + static_cast<std::ptrdiff_t>(first_), history_.end());
  acls_.forget_since(first_acl_);
  has_changes_ = false;
}

// Each change is looked at once, however many there are.
const ZnodeFacts& Preparation::look_ahead(PathId id, const ZnodeFacts& committed) {
  while (foreseen_until_ < history_.size()) foresee(history_[foreseen_until_++]);
  const ZnodeFacts* const foreseen = foreseen_.find(id);
  return foreseen ? *foreseen : committed;
}

// An ACL that the multi sets takes effect only afterwards (PrepRequestProcessor, setACL).
void Preparation::foresee(const Change& change) {
  if (change.kind == Change::Kind::kChecked) return;
  ZnodeFacts& record = foreseen_.add(change.path, committed(change.path));
  if (change.kind == Change::Kind::kDataSet) record.version = change.version;
  if (change.kind == Change::Kind::kAclSet) record.aversion = change.version;
  const bool comes = change.kind == Change::Kind::kCreated;
  if (!comes && change.kind != Change::Kind::kDeleted) return;
  if (comes) {
    record = ZnodeFacts();
    record.lifetime = change.lifetime;
    record.acl = change.acl;
    record.ephemeral_owner = change.owner;
  }
  record.exists = comes;
  const PathId parent_id = paths_->parent(change.path);
  ZnodeFacts& parent = foreseen_.add(parent_id, committed(parent_id));
  parent.num_children += comes ? 1 : -1;
  if (comes) parent.children_created = change.version;
}

PathId Preparation::parent_of_malformed(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos || path.find('\0') != std::string_view::npos) {
    return kNoPath;
  }
  if (slash == 0) return PathTable::kRoot;
  return paths_->intern(path.substr(0, slash));
}

}  // namespace lockstep::fakezk
