#include "lockstep/fakezk/znode_tree.h"

#include <algorithm>
#include <utility>

namespace lockstep::fakezk {

namespace {

void forget(Znode& znode) {
  znode.exists = false;
  znode.data = Data();
}

void set_data(Znode& znode, const Data& data) {
  znode.data = data;
  znode.data_length = static_cast<std::int32_t>(data.view().size());
}

// Updates the facts after a change of the children or of their counter.
void count_children(Znode& parent) {
  const auto children = static_cast<std::uint32_t>(parent.children.size());
  const auto created = static_cast<std::uint32_t>(parent.children_created);
  parent.num_children = static_cast<std::int32_t>(children);
  parent.cversion = static_cast<std::int32_t>(2 * created - children);
}

}  // namespace

ZnodeTree::ZnodeTree(std::shared_ptr<PathTable> paths) : paths_(std::move(paths)) {
  // In the order of their path numbers.
  for (const PathId id :
       {PathTable::kRoot, PathTable::kZookeeper, PathTable::kConfig, PathTable::kQuota}) {
    plant(id);
  }
  // DataTree.addConfigNode sets its ACL with the version -1.
  znodes_[PathTable::kConfig].acl = AclTable::kReadOnly;
  znodes_[PathTable::kConfig].aversion = -1;
  planted_ = checkpoint();
}

// ZKDatabase.initConfigInZKDatabase sets the data with the version -1.
void ZnodeTree::plant_config(const Data& members) {
  Znode& config = changing(PathTable::kConfig);
  set_data(config, members);
  config.version = -1;
  planted_ = checkpoint();
}

void ZnodeTree::reset(std::shared_ptr<PathTable> paths) {
  latest_ = NameList();
  reset_to(planted_);
  paths_ = std::move(paths);
}

// Lists the znodes of a fresh server first: they have the lowest numbers.
ZnodeTree::Checkpoint ZnodeTree::checkpoint() const {
  Checkpoint checkpoint;
  checkpoint.created = created_;
  for (PathId id = 0; id < znodes_.size(); ++id) {
    if (znodes_[id].exists) checkpoint.standing.push_back({id, states_[id], znodes_[id]});
  }
  return checkpoint;
}

// Leaves znodes alone that have not changed since the checkpoint.
void ZnodeTree::reset_to(const Checkpoint& checkpoint) {
  for (const PathId id : created_) {
    if (znodes_[id].exists) forget(changing(id));
  }
  created_ = checkpoint.created;
  for (const auto& [id, state, znode] : checkpoint.standing) {
    if (states_[id] == state) continue;
    states_[id] = state;
    znodes_[id] = znode;
  }
}

// The znodes of a fresh server exist without having been created: they count as children, but not
// in the counter of creates. Their data is empty, not null.
void ZnodeTree::plant(PathId id) {
  Znode& znode = znodes_.emplace_back();
  states_.push_back(0);
  znode.exists = true;
  znode.data = Data("");
  if (id == PathTable::kRoot) return;
  Znode& parent = changing(paths_->parent(id));
  parent.children.push_back(id);
  count_children(parent);
}

void ZnodeTree::record(const Change& change) const {
  if (change.kind == Change::Kind::kChecked) return;
  recorder_->writes(ObjectKind::kZnode, object(change.path));
  if (change.kind != Change::Kind::kCreated && change.kind != Change::Kind::kDeleted) return;
  recorder_->writes(ObjectKind::kZnode, object(paths_->parent(change.path)));
}

void ZnodeTree::make_room() {
  const std::size_t places = std::max<std::size_t>(paths_->size(), 64);
  znodes_.resize(places);
  states_.resize(places);
}

[[gnu::always_inline]] inline void ZnodeTree::create(const Change& change, std::int64_t now_ms) {
  if (change.path >= znodes_.size()) make_room();
  created_.push_back(change.path);
  Znode& znode = changing(change.path);
  static_cast<ZnodeFacts&>(znode) = ZnodeFacts();
  znode.exists = true;
  znode.lifetime = change.lifetime;
  znode.acl = change.acl;
  znode.czxid = change.zxid;
  znode.mzxid = change.zxid;
  znode.pzxid = change.zxid;
  znode.ctime_ms = now_ms;
  znode.mtime_ms = now_ms;
  znode.ephemeral_owner = change.owner;
  znode.ttl_ms = change.ttl_ms;
  set_data(znode, change.data);
  znode.children.clear();

  Znode& parent = changing(paths_->parent(change.path));
  parent.children.push_back(change.path);
  // At its end the counter sticks, and pzxid with it (DataTree.createNode only raises it): the next
  // sequential create finds the znode of the last one.
  if (change.version > parent.children_created) {
    parent.children_created = change.version;
    parent.pzxid = change.zxid;
  }
  count_children(parent);
}

[[gnu::always_inline]] inline void ZnodeTree::remove(Znode& znode, const Change& change) {
  forget(znode);
  Znode& parent = changing(paths_->parent(change.path));
  parent.children.erase(std::ranges::find(parent.children, change.path));
  parent.pzxid = change.zxid;
  count_children(parent);
}

void ZnodeTree::apply(const Change& change, std::int64_t now_ms) {
  if (recorder_) record(change);
  if (change.kind == Change::Kind::kCreated) return create(change, now_ms);
  if (change.kind == Change::Kind::kChecked) return;
  Znode& znode = changing(change.path);
  switch (change.kind) {
    case Change::Kind::kDeleted: return remove(znode, change);
    case Change::Kind::kDataSet:
      set_data(znode, change.data);
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

PathList ZnodeTree::select(bool (*wanted)(const Znode& znode)) const {
  PathList found;
  for (const PathId id : created_) {
    if (!znodes_[id].exists || !wanted(znodes_[id])) continue;
    // A znode that was created again is listed more than once.
    if (std::ranges::find(found, id) == found.end()) found.push_back(id);
  }
  if (found.size() < 2) return found;  // The usual case, at nearly every step.
  // Orders the znodes of one multi by name: path numbers depend on earlier executions.
  std::ranges::sort(found, {}, [this](PathId id) {
    return std::pair(znodes_[id].czxid, paths_->text(id).view());
  });
  return found;
}

void ZnodeTree::wind_sequence(PathId parent, std::int32_t children_created) {
  if (recorder_) recorder_->writes(ObjectKind::kZnode, object(parent));
  Znode& wound = changing(parent);
  wound.children_created = children_created;
  count_children(wound);
}

Children ZnodeTree::children(const Znode& znode, Unspecified& unspecified) {
  Children::Storage& list = latest_.begin(paths_);
  list.names.reserve(znode.children.size());
  for (const PathId child : znode.children) list.names.push_back(paths_->name(child));
  if (list.names.size() > 1) unspecified.shuffle(list.names);
  list.parent = stat(znode);
  return latest_.list();
}

}  // namespace lockstep::fakezk
