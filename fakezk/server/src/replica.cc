#include "lockstep/fakezk/replica.h"

#include <algorithm>
#include <utility>

namespace lockstep::fakezk {

Replica::Replica(std::shared_ptr<PathTable> paths, const AclTable& acls, Unspecified& unspecified)
    : paths_(paths), acls_(acls), unspecified_(unspecified), tree_(std::move(paths)) {}

void Replica::reset(std::shared_ptr<PathTable> paths) {
  paths_ = std::move(paths);
  tree_.reset(paths_);
  forget_all();
  last_zxid = 0;
  applied = 0;
  lagging = false;
  unreachable = false;
  held = false;
}

std::span<const Replica::Fired> Replica::apply_watched(const Change& change, std::int64_t time_ms) {
  const Znode* const before = tree_.find(change.path);
  const AclId acl = before ? before->acl : change.acl;
  tree_.apply(change, time_ms);
  fired_.clear();
  notify(change, acl);
  return fired_;
}

OpResult Replica::result_of(const Change& change) const {
  switch (change.kind) {
    case Change::Kind::kCreated: {
      OpResult created(OpCode::kCreate);
      created.path = paths_->path(change.path);
      // Only foreign clients create these in a multi; their reply has the Stat.
      if (change.lifetime == Lifetime::kContainer || change.lifetime == Lifetime::kTtl) {
        created.stat = tree_.stat(*tree_.find(change.path));
      }
      return created;
    }
    case Change::Kind::kDataSet: {
      OpResult set(OpCode::kSetData);
      set.stat = tree_.stat(*tree_.find(change.path));
      return set;
    }
    case Change::Kind::kDeleted: return OpResult(OpCode::kRemove);
    case Change::Kind::kAclSet: return OpResult(OpCode::kSetAcl);
    case Change::Kind::kChecked: break;
  }
  return OpResult(OpCode::kCheck);
}

void Replica::notify(const Change& change, AclId acl) {
  switch (change.kind) {
    case Change::Kind::kCreated:
      notify(data_watches_, change.path, EventType::kCreated, acl);
      break;
    case Change::Kind::kDeleted: notify_deleted(change.path, acl); break;
    case Change::Kind::kDataSet:
      return notify(data_watches_, change.path, EventType::kChanged, acl);
    case Change::Kind::kAclSet:
    case Change::Kind::kChecked: return;
  }
  const PathId parent = paths_->parent(change.path);
  notify(child_watches_, parent, EventType::kChild, tree_.find(parent)->acl);
}

void Replica::notify(WatchTable& table, PathId path, EventType type, AclId acl) {
  for (const LinkIndex link : table.take_told(path, type, *paths_)) {
    fired_.push_back({link, path, type, acl});
  }
}

// A connection that watches both data and children gets one deletion event.
void Replica::notify_deleted(PathId path, AclId acl) {
  const std::vector<LinkIndex>& told = data_watches_.take_told(path, EventType::kDeleted, *paths_);
  for (const LinkIndex link : told) fired_.push_back({link, path, EventType::kDeleted, acl});
  for (const LinkIndex link : child_watches_.take_told(path, EventType::kDeleted, *paths_)) {
    if (std::ranges::find(told, link) != told.end()) continue;
    fired_.push_back({link, path, EventType::kDeleted, acl});
  }
}

void Replica::read_without_znode(const Request& request, PathId path, LinkIndex link,
                                 const Identities& identities, Reply& reply) {
  if (concerns_watches(request.op)) {
    const std::expected<bool, Error> found = look_for_watches(request, path, link);
    if (!found) return refuse(reply, found.error());
    if (!*found) refuse(reply, Error::kNoWatcher);
    return;
  }
  if (const Znode* const root = known_as(path)) {
    return show(*root, request, path, link, identities, reply);
  }
  if (request.watched && request.op == OpCode::kExists) data_watches_.add(path, link);
  refuse(reply, Error::kNoNode);
}

// The root has two names, of which reads know the empty one (DataTree's constructor).
const Znode* Replica::known_as(PathId path) const {
  const bool is_empty = paths_->text(path).view().empty();
  return tree_.find(is_empty ? PathTable::kRoot : path);
}

namespace {

// Whether the table has a watch on a path. The server walks up the path, if there are recursive
// watches to the root, and stumbles where a slash is missing; it overlooks a watch on the empty
// path (WatchManager.containsWatcher, PathParentIterator).
std::expected<bool, Error> has_watch(const WatchTable& table, PathId path, std::string_view text) {
  if (text.empty()) return false;
  if (!text.contains('/')) return std::unexpected(Error::kMarshallingError);
  if (table.any(path)) return true;
  if (table.any_recursive() && !text.starts_with('/')) {
    return std::unexpected(Error::kMarshallingError);
  }
  return false;
}

}  // namespace

// Data watches include those of exists (DataTree.containsWatcher, removeWatch). A check finds the
// watches of all connections (WatchManager.containsWatcher), so it depends on whatever leaves or
// removes one there; all that counts as a read of the znode.
std::expected<bool, Error> Replica::look_for_watches(const Request& request, PathId path,
                                                     LinkIndex link) {
  if (recorder_ && request.op == OpCode::kCheckWatches)
    recorder_->writes(ObjectKind::kZnode, tree_.object(path));
  if (recorder_ && hears_everything()) recorder_->touches_everything();
  bool found = false;
  for (const auto& [type, table] : {std::pair(WatchType::kChild, &child_watches_),
                                    std::pair(WatchType::kData, &data_watches_)}) {
    if (request.watch_type != WatchType::kAny && request.watch_type != type) continue;
    const std::expected<bool, Error> there =
        request.op == OpCode::kRemoveWatches ? table->remove(path, link)
                                             : has_watch(*table, path, paths_->text(path).view());
    if (!there) return there;
    found = found || *there;
  }
  return found;
}

// Compares states instead of replaying events (DataTree.setWatches). These events skip the check of
// the read permission.
std::span<const Replica::Fired> Replica::set_watches(LinkIndex link, const WatchedPaths& watched) {
  fired_.clear();
  const auto tell = [&](PathId id, EventType type) {
    fired_.push_back({link, id, type, AclTable::kOpen});
  };
  for (const Path& path : watched.data) {
    const PathId id = paths_->intern(path.text());
    const Znode* const znode = known_as(id);
    if (!znode) {
      tell(id, EventType::kDeleted);
    } else if (znode->mzxid > watched.relative_zxid) {
      tell(id, EventType::kChanged);
    } else {
      data_watches_.add(id, link);
    }
  }
  for (const Path& path : watched.exist) {
    const PathId id = paths_->intern(path.text());
    if (known_as(id)) {
      tell(id, EventType::kCreated);
    } else {
      data_watches_.add(id, link);
    }
  }
  for (const Path& path : watched.child) {
    const PathId id = paths_->intern(path.text());
    const Znode* const znode = known_as(id);
    if (!znode) {
      tell(id, EventType::kDeleted);
    } else if (znode->pzxid > watched.relative_zxid) {
      tell(id, EventType::kChild);
    } else {
      child_watches_.add(id, link);
    }
  }
  for (const Path& path : watched.persistent) {
    add_lasting(paths_->intern(path.text()), link, WatchMode::kPersistent);
  }
  for (const Path& path : watched.recursive) {
    add_lasting(paths_->intern(path.text()), link, WatchMode::kRecursive);
  }
  return fired_;
}

// Removing watches counts as a read of their znodes: it conflicts with their changes, which look
// for watches, but commutes with other reads.
void Replica::record_watches(const WatchTable& table, LinkIndex link) {
  for (const PathId path : table.watched_by(link)) {
    recorder_->reads(ObjectKind::kZnode, tree_.object(path));
  }
}

void Replica::forget(LinkIndex link) {
  if (recorder_) {
    record_watches(data_watches_, link);
    record_watches(child_watches_, link);
    if (hears_everything()) recorder_->touches_everything();
  }
  data_watches_.drop(link);
  child_watches_.drop(link);
}

void Replica::forget_all() {
  data_watches_.reset();
  child_watches_.reset();
}

}  // namespace lockstep::fakezk
