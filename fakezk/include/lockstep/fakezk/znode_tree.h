#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lockstep/children.h"
#include "lockstep/data.h"
#include "lockstep/fakezk/path_table.h"
#include "lockstep/stat.h"

namespace lockstep::fakezk {

// One znode as the server keeps it.
struct Znode {
  bool exists = false;
  bool container = false;
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
  Data data;
  std::vector<PathId> children;  // In order of creation.
};

// The tree of znodes: what one server has applied. Pure data, no rules of who may do what.
class ZnodeTree {
 public:
  explicit ZnodeTree(std::shared_ptr<PathTable> paths);

  // Back to the tree of a fresh server; keeps its memory.
  void reset(std::shared_ptr<PathTable> paths);

  [[nodiscard]] const Znode* find(PathId id) const {
    return id < znodes_.size() && znodes_[id].exists ? &znodes_[id] : nullptr;
  }
  [[nodiscard]] Znode* find(PathId id) {
    return id < znodes_.size() && znodes_[id].exists ? &znodes_[id] : nullptr;
  }
  // The parent must exist, the znode must not.
  void create(PathId id, Data data, SessionId owner, bool container, Zxid zxid,
              std::int64_t now_ms);
  // The znode must exist and be childless.
  void remove(PathId id, Zxid zxid);
  void set_data(PathId id, Data data, Zxid zxid, std::int64_t now_ms);

  [[nodiscard]] Stat stat(const Znode& znode) const;
  // The names of its children, in the given order, with its Stat.
  [[nodiscard]] Children children(const Znode& znode, std::span<const PathId> in_order) const;

 private:
  Znode& slot(PathId id);
  void plant(PathId id);

  std::shared_ptr<PathTable> paths_;
  std::vector<Znode> znodes_;    // By PathId.
  std::vector<PathId> touched_;  // Every id that has existed since the reset.
};

}  // namespace lockstep::fakezk
