#include "lockstep/fakezk/preparation.h"

#include <algorithm>
#include <optional>

#include "lockstep/fakezk/message.h"
#include "path_rules.h"

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

inline const ZnodeFacts& Preparation::look(PathId id, ZnodeFacts& record) const {
  static constexpr ZnodeFacts kNothing;
  const Znode* const znode = tree_->find(id);
  const ZnodeFacts& committed = znode ? *znode : kNothing;
  if (!has_changes_) [[likely]]
    return committed;
  record = committed;
  foresee(id, record);
  return record;
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
  if (has_ttl(request.mode) && !ttl_enabled_) return refused(Error::kUnimplemented);
  const PathId parent_id = parent_of(asked);
  if (parent_id == kNoPath) return refused(Error::kBadArguments);
  AclId acl = AclTable::kOpen;
  if (!request.plain() && !accept(request.acl(), acl)) return refused(Error::kInvalidAcl);
  const ZnodeFacts& parent = look(parent_id, parent_record_);
  if (!parent.exists) return refused(Error::kNoNode);
  if (!allowed(parent, permission::kCreate)) return refused(Error::kNoAuth);
  path_ = has_sequence(request.mode) ? paths_->intern_sequential(asked, parent.children_created)
                                     : asked;
  if (!paths_->valid(path_)) return refused(Error::kBadArguments);
  if (look(path_, record_).exists) return refused(Error::kNodeExists);
  if (parent.lifetime == Lifetime::kEphemeral) return refused(Error::kNoChildrenForEphemerals);

  const Lifetime lifetime = lifetime_of(request.mode);
  const SessionId owner = lifetime == Lifetime::kEphemeral ? asker_.session : 0;
  Change& made = change(Change::Kind::kCreated, owner);
  made.data = request.data;
  made.acl = acl;
  made.lifetime = lifetime;
  made.ttl_ms = has_ttl(request.mode) ? request.ttl().count() : 0;
  made.version = next(parent.children_created);
  return {};
}

std::expected<void, Error> Preparation::remove(const Request& request, PathId path) {
  const bool usual = paths_->valid(path) && path > PathTable::kQuota;
  if (!usual && !server_can_remove(request.path.view())) return refused(Error::kBadArguments);
  path_ = path;
  const ZnodeFacts& parent = look(paths_->parent(path_), parent_record_);
  if (!parent.exists) return refused(Error::kNoNode);
  if (!allowed(parent, permission::kDelete)) return refused(Error::kNoAuth);
  const ZnodeFacts& node = look(path_, record_);
  if (!node.exists) return refused(Error::kNoNode);
  if (!version_matches(request.version, node.version)) return refused(Error::kBadVersion);
  if (node.num_children > 0) return refused(Error::kNotEmpty);
  change(Change::Kind::kDeleted, node.ephemeral_owner);
  return {};
}

std::expected<void, Error> Preparation::set_data(const Request& request, PathId path) {
  if (!paths_->valid(path)) return refused(Error::kBadArguments);
  path_ = path;
  const ZnodeFacts& node = look(path_, record_);
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
  AclId acl = AclTable::kOpen;
  if (!accept(request.acl(), acl)) return refused(Error::kInvalidAcl);
  path_ = path;
  const ZnodeFacts& node = look(path_, record_);
  if (!node.exists) return refused(Error::kNoNode);
  if (!allowed(node, permission::kAdmin)) return refused(Error::kNoAuth);
  if (!version_matches(request.version, node.aversion)) return refused(Error::kBadVersion);
  Change& made = change(Change::Kind::kAclSet, node.ephemeral_owner);
  made.acl = acl;
  made.version = next(node.aversion);
  return {};
}

std::expected<void, Error> Preparation::check(const Request& request, PathId path) {
  if (!paths_->valid(path)) return refused(Error::kBadArguments);
  path_ = path;
  const ZnodeFacts& node = look(path_, record_);
  if (!node.exists) return refused(Error::kNoNode);
  if (!allowed(node, permission::kRead)) return refused(Error::kNoAuth);
  if (!version_matches(request.version, node.version)) return refused(Error::kBadVersion);
  change(Change::Kind::kChecked, node.ephemeral_owner);
  return {};
}

std::expected<void, Error> Preparation::reap(PathId id) {
  path_ = id;
  const ZnodeFacts& node = look(id, record_);
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
  has_changes_ = false;
}

// Includes the changes that the multi has prepared so far.
void Preparation::foresee(PathId id, ZnodeFacts& record) const {
  for (std::size_t i = first_; i < history_.size(); ++i) foresee(history_[i], id, record);
}

// Applies a change of the same multi to the record. An ACL that the multi sets takes effect only
// afterwards (PrepRequestProcessor, setACL).
void Preparation::foresee(const Change& change, PathId id, ZnodeFacts& record) const {
  if (change.path != id) {
    if (paths_->parent(change.path) != id) return;
    if (change.kind == Change::Kind::kCreated) {
      record.children_created = change.version;
      ++record.num_children;
    }
    if (change.kind == Change::Kind::kDeleted) --record.num_children;
    return;
  }
  switch (change.kind) {
    case Change::Kind::kCreated:
      record = ZnodeFacts();
      record.exists = true;
      record.lifetime = change.lifetime;
      record.acl = change.acl;
      record.ephemeral_owner = change.owner;
      return;
    case Change::Kind::kDeleted: record.exists = false; return;
    case Change::Kind::kDataSet: record.version = change.version; return;
    case Change::Kind::kAclSet: record.aversion = change.version; return;
    case Change::Kind::kChecked: return;
  }
}

bool Preparation::accept(const Acl& asked, AclId& acl) {
  const std::optional<AclId> accepted = acls_.accept(asked, asker_.identities, unspecified_);
  if (accepted) acl = *accepted;
  return accepted.has_value();
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
