#include "lockstep/fakezk/preparation.h"

#include <algorithm>

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
  return mode == CreateMode::kContainer ? Lifetime::kContainer : Lifetime::kPersistent;
}

}  // namespace

inline Preparation::Record Preparation::committed(PathId id) const {
  Record record{.path = id};
  const Znode* const znode = tree_->find(id);
  if (!znode) return record;
  record.exists = true;
  record.lifetime = znode->lifetime;
  record.acl = znode->acl;
  record.version = znode->version;
  record.aversion = znode->aversion;
  record.children_created = znode->children_created;
  record.children = static_cast<std::int32_t>(znode->children.size());
  record.owner = znode->ephemeral_owner;
  return record;
}

inline Preparation::Record Preparation::look(PathId id) const {
  const Record record = committed(id);
  return history_.size() == first_ ? record : foreseen(record);
}

std::expected<void, Error> Preparation::prepare(const Request& request) {
  switch (request.op) {
    case OpCode::kCreate: return create(request);
    case OpCode::kRemove: return remove(request);
    case OpCode::kSetData: return set_data(request);
    case OpCode::kSetAcl: return set_acl(request);
    case OpCode::kCheck: return check(request);
    default: return refused(Error::kUnimplemented);
  }
}

std::expected<void, Error> Preparation::create(const Request& request) {
  if (has_ttl(request.mode) && !ttl_enabled_) return refused(Error::kUnimplemented);
  const std::optional<PathId> parent_id = parent_of(request.path);
  if (!parent_id) return refused(Error::kBadArguments);
  const std::optional<AclId> acl = acls_.accept(request.acl, asker_.identities, unspecified_);
  if (!acl) return refused(Error::kInvalidAcl);
  const Record parent = look(*parent_id);
  if (!parent.exists) return refused(Error::kNoNode);
  if (!allowed(parent, permission::kCreate)) return refused(Error::kNoAuth);
  path_ = is_sequential(request.mode)
              ? paths_->intern_sequential(request.path.text(), parent.children_created)
              : paths_->intern(request.path.text());
  if (!paths_->valid(path_)) return refused(Error::kBadArguments);
  if (look(path_).exists) return refused(Error::kNodeExists);
  if (parent.lifetime == Lifetime::kEphemeral) return refused(Error::kNoChildrenForEphemerals);

  const Lifetime lifetime = lifetime_of(request.mode);
  const SessionId owner = lifetime == Lifetime::kEphemeral ? asker_.session : 0;
  Change& made = change(Change::Kind::kCreated, path_, owner);
  made.data = request.data;
  made.acl = *acl;
  made.lifetime = lifetime;
  made.ttl_ms = has_ttl(request.mode) ? request.ttl.count() : 0;
  made.version = next(parent.children_created);
  return {};
}

std::expected<void, Error> Preparation::remove(const Request& request) {
  const PathId path = paths_->intern(request.path.text());
  const bool usual = paths_->valid(path) && path > PathTable::kQuota;
  if (!usual && !server_can_remove(request.path.view())) return refused(Error::kBadArguments);
  path_ = path;
  const Record parent = look(paths_->parent(path_));
  if (!parent.exists) return refused(Error::kNoNode);
  if (!allowed(parent, permission::kDelete)) return refused(Error::kNoAuth);
  const Record node = look(path_);
  if (!node.exists) return refused(Error::kNoNode);
  if (!version_matches(request.version, node.version)) return refused(Error::kBadVersion);
  if (node.children > 0) return refused(Error::kNotEmpty);
  change(Change::Kind::kDeleted, node);
  return {};
}

std::expected<void, Error> Preparation::set_data(const Request& request) {
  if (!server_accepts(request.path.view())) return refused(Error::kBadArguments);
  path_ = paths_->intern(request.path.text());
  const Record node = look(path_);
  if (!node.exists) return refused(Error::kNoNode);
  if (!allowed(node, permission::kWrite)) return refused(Error::kNoAuth);
  if (!version_matches(request.version, node.version)) return refused(Error::kBadVersion);
  Change& made = change(Change::Kind::kDataSet, node);
  made.data = request.data;
  made.version = next(node.version);
  return {};
}

std::expected<void, Error> Preparation::set_acl(const Request& request) {
  if (!server_accepts(request.path.view())) return refused(Error::kBadArguments);
  const std::optional<AclId> acl = acls_.accept(request.acl, asker_.identities, unspecified_);
  if (!acl) return refused(Error::kInvalidAcl);
  path_ = paths_->intern(request.path.text());
  const Record node = look(path_);
  if (!node.exists) return refused(Error::kNoNode);
  if (!allowed(node, permission::kAdmin)) return refused(Error::kNoAuth);
  if (!version_matches(request.version, node.aversion)) return refused(Error::kBadVersion);
  Change& made = change(Change::Kind::kAclSet, node);
  made.acl = *acl;
  made.version = next(node.aversion);
  return {};
}

std::expected<void, Error> Preparation::check(const Request& request) {
  if (!server_accepts(request.path.view())) return refused(Error::kBadArguments);
  path_ = paths_->intern(request.path.text());
  const Record node = look(path_);
  if (!node.exists) return refused(Error::kNoNode);
  if (!allowed(node, permission::kRead)) return refused(Error::kNoAuth);
  if (!version_matches(request.version, node.version)) return refused(Error::kBadVersion);
  change(Change::Kind::kChecked, node);
  return {};
}

std::expected<void, Error> Preparation::reap(PathId id) {
  path_ = id;
  const Record node = look(id);
  if (!node.exists) return refused(Error::kNoNode);
  if (node.children > 0) return refused(Error::kNotEmpty);
  if (node.lifetime == Lifetime::kEphemeral) return refused(Error::kBadVersion);
  change(Change::Kind::kDeleted, node);
  return {};
}

void Preparation::remove_ephemeral(PathId id) {
  const Znode* const znode = tree_->find(id);
  change(Change::Kind::kDeleted, id, znode ? znode->ephemeral_owner : 0);
}

void Preparation::forget_changes() {
  history_.erase(history_.begin() + static_cast<std::ptrdiff_t>(first_), history_.end());
}

// With what the multi has prepared so far.
Preparation::Record Preparation::foreseen(Record record) const {
  for (std::size_t i = first_; i < history_.size(); ++i) foresee(history_[i], record);
  return record;
}

// What a change of the same multi makes of it. An ACL that it sets counts only afterwards
// (PrepRequestProcessor, setACL).
void Preparation::foresee(const Change& change, Record& record) const {
  if (change.path != record.path) {
    if (paths_->parent(change.path) != record.path) return;
    if (change.kind == Change::Kind::kCreated) {
      record.children_created = change.version;
      ++record.children;
    }
    if (change.kind == Change::Kind::kDeleted) --record.children;
    return;
  }
  switch (change.kind) {
    case Change::Kind::kCreated:
      record = {.path = change.path,
                .exists = true,
                .lifetime = change.lifetime,
                .acl = change.acl,
                .owner = change.owner};
      return;
    case Change::Kind::kDeleted: record.exists = false; return;
    case Change::Kind::kDataSet: record.version = change.version; return;
    case Change::Kind::kAclSet: record.aversion = change.version; return;
    case Change::Kind::kChecked: return;
  }
}

Change& Preparation::change(Change::Kind kind, PathId path, SessionId owner) {
  return history_.emplace_back(Change{kind, path, asker_.zxid, asker_.session, owner});
}

std::optional<PathId> Preparation::parent_of(const Path& znode) {
  const std::string_view path = znode.view();
  if (path.starts_with('/')) {
    const PathId known = paths_->intern(znode.text());
    if (paths_->valid(known)) return paths_->parent(known);
  }
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos || path.find('\0') != std::string_view::npos) {
    return std::nullopt;
  }
  if (slash == 0) return PathTable::kRoot;
  return paths_->intern(path.substr(0, slash));
}

}  // namespace lockstep::fakezk
