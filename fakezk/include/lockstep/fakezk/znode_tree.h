#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "lockstep/children.h"
#include "lockstep/data.h"
#include "lockstep/fakezk/footprint.h"
#include "lockstep/fakezk/history.h"
#include "lockstep/fakezk/path_table.h"
#include "lockstep/fakezk/unspecified.h"
#include "lockstep/internal/pool_allocator.h"
#include "lockstep/stat.h"

namespace lockstep::fakezk {

// One znode as the server keeps it.
struct Znode {
  bool exists = false;
  Lifetime lifetime = Lifetime::kPersistent;
  AclId acl = AclTable::kOpen;
  Zxid czxid = 0;
  Zxid mzxid = 0;
  Zxid pzxid = 0;
  std::int64_t ctime_ms = 0;
  std::int64_t mtime_ms = 0;
  std::int32_t version = 0;
  std::int32_t aversion = 0;
  // Successful creates of children: what sequence numbers are made of. Clients see another number
  // under the name cversion (ZooKeeper's DataNode.copyStat).
  std::int32_t children_created = 0;
  SessionId ephemeral_owner = 0;
  std::int64_t ttl_ms = 0;
  Data data;
  std::vector<PathId> children;  // In order of creation.
};

// Made for a moment, and often.
using PathList = std::vector<PathId, internal::PoolAllocator<PathId>>;

// The tree of znodes: what one server has applied. Pure data, no rules of who may do what.
class ZnodeTree {
 public:
  explicit ZnodeTree(std::shared_ptr<PathTable> paths);

  // Back to the tree of a fresh server; keeps its memory.
  void reset(std::shared_ptr<PathTable> paths);

  // What stands there, to come back to; with the table of paths of that time only.
  struct Checkpoint {
    std::vector<std::pair<PathId, Znode>> standing;
    std::vector<PathId> created;
  };
  [[nodiscard]] Checkpoint checkpoint() const;
  void reset_to(const Checkpoint& checkpoint);

  [[nodiscard]] const Znode* find(PathId id) const {
    if (recorder_) recorder_->reads(ObjectKind::kZnode, object(id));
    return id < znodes_.size() && znodes_[id].exists ? &znodes_[id] : nullptr;
  }
  [[nodiscard]] Znode* find(PathId id) {
    if (recorder_) recorder_->reads(ObjectKind::kZnode, object(id));
    return id < znodes_.size() && znodes_[id].exists ? &znodes_[id] : nullptr;
  }
  // Makes a change that the leader has found possible.
  void apply(const Change& change, std::int64_t now_ms);
  // Those that exist, are not the server's own, and are `wanted`, in order of creation.
  [[nodiscard]] PathList select(bool (*wanted)(const Znode& znode)) const;
  // Who listens to what is touched, null: nobody; `number` tells this tree from the others.
  void record_into(FootprintRecorder* recorder, std::uint32_t number) {
    recorder_ = recorder;
    number_ = number;
  }
  // Its znodes, as a recorder names them.
  [[nodiscard]] std::uint32_t object(PathId id) const { return number_ << kPathBits | id; }

  // Moves the counter that sequence numbers are made of, as many creates and deletes of children
  // would.
  void wind_sequence(PathId parent, std::int32_t children_created);

  [[nodiscard]] Stat stat(const Znode& znode) const;
  // The names of its children, with its Stat. ZooKeeper lists them in the order of a hash table.
  [[nodiscard]] Children children(const Znode& znode, Unspecified& unspecified) const;

 private:
  static constexpr int kPathBits = 20;

  void plant(PathId id);
  void create(const Change& change, std::int64_t now_ms);
  void remove(const Change& change);
  void record(const Change& change) const;

  std::shared_ptr<PathTable> paths_;
  std::vector<Znode> znodes_;    // By PathId.
  Checkpoint planted_;           // What stands there from the start.
  std::vector<PathId> created_;  // Everything else that has existed since the reset.
  FootprintRecorder* recorder_ = nullptr;
  std::uint32_t number_ = 0;
};

}  // namespace lockstep::fakezk
