#include "lockstep/fakezk/znode_tree.h"

#include <algorithm>
#include <utility>

namespace lockstep::fakezk {

namespace {

// The names of one reply: views into the path table, which the list keeps alive.
class NameList final : public Children::Storage {
 public:
  explicit NameList(std::shared_ptr<const PathTable> paths) : paths_(std::move(paths)) {}

 private:
  std::shared_ptr<const PathTable> paths_;
};

}  // namespace

ZnodeTree::ZnodeTree(std::shared_ptr<PathTable> paths) : paths_(std::move(paths)) {
  // In the order of their numbers.
  for (const PathId id :
       {PathTable::kRoot, PathTable::kZookeeper, PathTable::kConfig, PathTable::kQuota}) {
    plant(id);
  }
  // DataTree.addConfigNode sets its ACL with the version -1.
  znodes_[PathTable::kConfig].acl = AclTable::kReadOnly;
  znodes_[PathTable::kConfig].aversion = -1;
  planted_ = checkpoint();
}

void ZnodeTree::reset(std::shared_ptr<PathTable> paths) {
  reset_to(planted_);
  paths_ = std::move(paths);
}

// Those of a fresh server come first, in the order of their numbers.
ZnodeTree::Checkpoint ZnodeTree::checkpoint() const {
  Checkpoint checkpoint;
  checkpoint.created = created_;
  for (PathId id = 0; id < znodes_.size(); ++id) {
    if (znodes_[id].exists) checkpoint.standing.emplace_back(id, znodes_[id]);
  }
  return checkpoint;
}

void ZnodeTree::reset_to(const Checkpoint& checkpoint) {
  for (const PathId id : created_) {
    znodes_[id].exists = false;
    znodes_[id].data = Data();
  }
  created_ = checkpoint.created;
  for (const auto& [id, znode] : checkpoint.standing) znodes_[id] = znode;
}

// The znodes of a fresh server stand there without having been created: they count as children,
// but not in the counter of creates. Their data is empty, not null.
void ZnodeTree::plant(PathId id) {
  Znode& znode = znodes_.emplace_back();
  znode.exists = true;
  znode.data = Data("");
  if (id != PathTable::kRoot) znodes_[paths_->parent(id)].children.push_back(id);
}

void ZnodeTree::apply(const Change& change, std::int64_t now_ms) {
  if (recorder_) record(change);
  if (change.kind == Change::Kind::kCreated) return create(change, now_ms);
  Znode& znode = znodes_[change.path];
  switch (change.kind) {
    case Change::Kind::kDeleted: return remove(change);
    case Change::Kind::kDataSet:
      znode.data = change.data;
      znode.version = change.version;
      znode.mzxid = change.zxid;
      znode.mtime_ms = now_ms;
      return;
    case Change::Kind::kAclSet:
      znode.acl = change.acl;
      znode.aversion = change.version;
      return;
    case Change::Kind::kCreated:
    case Change::Kind::kChecked: return;
  }
}

void ZnodeTree::record(const Change& change) const {
  if (change.kind == Change::Kind::kChecked) return;
  recorder_->writes(ObjectKind::kZnode, object(change.path));
  if (change.kind != Change::Kind::kCreated && change.kind != Change::Kind::kDeleted) return;
  recorder_->writes(ObjectKind::kZnode, object(paths_->parent(change.path)));
}

void ZnodeTree::create(const Change& change, std::int64_t now_ms) {
  if (change.path >= znodes_.size()) znodes_.resize(std::max<std::size_t>(paths_->size(), 64));
  created_.push_back(change.path);
  Znode& znode = znodes_[change.path];
  znode.exists = true;
  znode.lifetime = change.lifetime;
  znode.acl = change.acl;
  znode.czxid = change.zxid;
  znode.mzxid = change.zxid;
  znode.pzxid = change.zxid;
  znode.ctime_ms = now_ms;
  znode.mtime_ms = now_ms;
  znode.version = 0;
  znode.aversion = 0;
  znode.children_created = 0;
  znode.ephemeral_owner = change.owner;
  znode.ttl_ms = change.ttl_ms;
  znode.data = change.data;
  znode.children.clear();

  Znode& parent = znodes_[paths_->parent(change.path)];
  parent.children.push_back(change.path);
  // At its end the counter sticks, and pzxid with it (DataTree.createNode only raises it): the next
  // sequential create finds the last one's znode.
  if (change.version <= parent.children_created) return;
  parent.children_created = change.version;
  parent.pzxid = change.zxid;
}

void ZnodeTree::remove(const Change& change) {
  Znode& znode = znodes_[change.path];
  znode.exists = false;
  znode.data = Data();
  Znode& parent = znodes_[paths_->parent(change.path)];
  parent.children.erase(std::ranges::find(parent.children, change.path));
  parent.pzxid = change.zxid;
}

PathList ZnodeTree::select(bool (*wanted)(const Znode& znode)) const {
  PathList found;
  for (const PathId id : created_) {
    if (!znodes_[id].exists || !wanted(znodes_[id])) continue;
    // A name that was used again stands there more than once.
    if (std::ranges::find(found, id) == found.end()) found.push_back(id);
  }
  // Those of one multi by name: in no order that depends on which ran before.
  std::ranges::sort(found, {}, [this](PathId id) {
    return std::pair(znodes_[id].czxid, paths_->text(id).view());
  });
  return found;
}

void ZnodeTree::wind_sequence(PathId parent, std::int32_t children_created) {
  if (recorder_) recorder_->writes(ObjectKind::kZnode, object(parent));
  znodes_[parent].children_created = children_created;
}

Stat ZnodeTree::stat(const Znode& znode) const {
  const auto children = static_cast<std::int32_t>(znode.children.size());
  Stat stat;
  stat.czxid = znode.czxid;
  stat.mzxid = znode.mzxid;
  stat.ctime_ms = znode.ctime_ms;
  stat.mtime_ms = znode.mtime_ms;
  stat.version = znode.version;
  stat.cversion = static_cast<std::int32_t>(2 * static_cast<std::uint32_t>(znode.children_created) -
                                            static_cast<std::uint32_t>(children));
  stat.aversion = znode.aversion;
  stat.ephemeral_owner = znode.ephemeral_owner;
  stat.data_length = static_cast<std::int32_t>(znode.data.view().size());
  stat.num_children = children;
  stat.pzxid = znode.pzxid;
  return stat;
}

Children ZnodeTree::children(const Znode& znode, Unspecified& unspecified) const {
  auto list = std::make_unique<NameList>(paths_);
  list->names.reserve(znode.children.size());
  for (const PathId child : znode.children) list->names.push_back(paths_->name(child));
  unspecified.shuffle(list->names);
  list->parent = stat(znode);
  return Children(list.release());
}

}  // namespace lockstep::fakezk
