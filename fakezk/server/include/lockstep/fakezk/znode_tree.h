#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "lockstep/children.h"
#include "lockstep/data.h"
#include "lockstep/fakezk/footprint.h"
#include "lockstep/fakezk/history.h"
#include "lockstep/fakezk/name_list.h"
#include "lockstep/fakezk/path_table.h"
#include "lockstep/fakezk/unspecified.h"
#include "lockstep/internal/pool_allocator.h"
#include "lockstep/stat.h"

namespace lockstep::fakezk {

// Everything that a server knows of a znode except its data and its children: the Stat that clients
// see, and hidden fields.
struct ZnodeFacts : Stat {
  bool exists = false;
  Lifetime lifetime = Lifetime::kPersistent;
  AclId acl = AclTable::kOpen;
  // Successful creates of children: what sequence numbers are made of. Clients see another number
  // under the name cversion (ZooKeeper's DataNode.copyStat).
  std::int32_t children_created = 0;
  std::int64_t ttl_ms = 0;
};

// One znode as the server keeps it.
struct Znode : ZnodeFacts {
  Data data;
  std::vector<PathId> children;  // In order of creation.

  [[nodiscard]] bool has_had_children() const { return children_created != 0; }
};

// Short-lived and frequent, hence from the pool.
using PathList = std::vector<PathId, internal::PoolAllocator<PathId>>;

// The tree of znodes: what one server has applied. Pure data, no rules of who may do what.
class ZnodeTree {
 public:
  explicit ZnodeTree(std::shared_ptr<PathTable> paths);

  // A fresh server of an ensemble has its members in /zookeeper/config.
  void plant_config(const Data& members);

  // Back to the tree of a fresh server; keeps its memory.
  void reset(std::shared_ptr<PathTable> paths);

  // A copy of the tree, for reset_to(). Valid only with the table of paths of its time.
  struct Kept {
    PathId id;
    std::uint64_t state;
    Znode znode;
  };
  struct Checkpoint {
    std::vector<Kept> standing;
    std::vector<PathId> created;
  };
  [[nodiscard]] Checkpoint checkpoint() const;
  void reset_to(const Checkpoint& checkpoint);

  [[nodiscard]] const Znode* find(PathId id) const {
    note_existence(id);
    return id < znodes_.size() && znodes_[id].exists ? &znodes_[id] : nullptr;
  }
  // Records that the current step depends on whether the znode exists.
  void note_existence(PathId id) const {
    if (recorder_) recorder_->reads(ObjectKind::kZnode, object(id));
  }
  // Makes a change that the leader has found possible.
  void apply(const Change& change, std::int64_t now_ms);
  // Those that exist, are not the server's own, and are `wanted`, in order of creation.
  [[nodiscard]] PathList select(bool (*wanted)(const Znode& znode)) const;
  // Reports everything that is touched to `recorder`, null stops it; `number` tells this tree from
  // the others.
  void record_into(FootprintRecorder* recorder, std::uint32_t number) {
    recorder_ = recorder;
    number_ = number;
  }
  // Its znodes, as a recorder names them.
  [[nodiscard]] std::uint32_t object(PathId id) const { return number_ << kPathBits | id; }

  // Moves the counter that sequence numbers are made of, as many creates and deletes of children
  // would.
  void wind_sequence(PathId parent, std::int32_t children_created);

  [[nodiscard]] const Stat& stat(const Znode& znode) const { return znode; }
  // The names of its children, with its Stat. ZooKeeper lists them in the order of a hash table.
  [[nodiscard]] Children children(const Znode& znode, Unspecified& unspecified);

 private:
  static constexpr int kPathBits = 20;

  void plant(PathId id);
  // The znode, for a change of it.
  Znode& changing(PathId id) {
    states_[id] = ++changes_;
    return znodes_[id];
  }
  void make_room();
  inline void create(const Change& change, std::int64_t now_ms);
  inline void remove(Znode& znode, const Change& change);
  void record(const Change& change) const;

  std::shared_ptr<PathTable> paths_;
  std::vector<Znode> znodes_;  // By PathId.
  // By PathId: the number of the last change of each. No two states of a znode have the same.
  std::vector<std::uint64_t> states_;
  std::uint64_t changes_ = 0;
  NameList latest_;              // The list handed out last.
  Checkpoint planted_;           // The znodes of the start.
  std::vector<PathId> created_;  // Everything else that has existed since the reset.
  FootprintRecorder* recorder_ = nullptr;
  std::uint32_t number_ = 0;
};

}  // namespace lockstep::fakezk
