#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "lockstep/fakezk/replica.h"
#include "lockstep/fakezk/txn.h"

namespace lockstep::fakezk {

// The servers' trees: the replica of each server, and the tree of all committed transactions, which
// the leader has. The tree of a standalone server is both.
class Replicas {
 public:
  Replicas(const std::shared_ptr<PathTable>& paths, const AclTable& acls, Unspecified& unspecified,
           ReplicaIndex count);
  Replicas(const Replicas&) = delete;
  Replicas& operator=(const Replicas&) = delete;

  void reset(const std::shared_ptr<PathTable>& paths);
  // The trees, and how far each replica has come; watches and partitions are no part of it.
  struct Checkpoint {
    struct Kept {
      ZnodeTree::Checkpoint tree;
      Zxid last_zxid;
      std::size_t applied;
      bool lagging;
    };
    std::vector<Kept> replicas;
    std::optional<ZnodeTree::Checkpoint> committed;
  };
  [[nodiscard]] Checkpoint checkpoint() const;
  void reset_to(const Checkpoint& checkpoint);
  // Sets the recorder of accesses; null: none.
  void record_into(FootprintRecorder* recorder);

  [[nodiscard]] ReplicaIndex size() const { return static_cast<ReplicaIndex>(replicas_.size()); }
  [[nodiscard]] Replica& operator[](ReplicaIndex index) { return replicas_[index]; }
  [[nodiscard]] const Replica& operator[](ReplicaIndex index) const { return replicas_[index]; }
  [[nodiscard]] auto begin() { return replicas_.begin(); }
  [[nodiscard]] auto end() { return replicas_.end(); }
  [[nodiscard]] auto begin() const { return replicas_.begin(); }
  [[nodiscard]] auto end() const { return replicas_.end(); }

  // Returns the tree of all committed transactions.
  [[nodiscard]] ZnodeTree& committed() { return *committed_; }
  [[nodiscard]] const ZnodeTree& committed() const { return *committed_; }

  // In every tree.
  void wind_sequence(PathId parent, std::int32_t children_created);
  // All replicas advance to a zxid whose transaction changes nothing.
  void advance_to(Zxid zxid);

 private:
  std::vector<Replica> replicas_;  // Each stays where it is.
  std::unique_ptr<ZnodeTree> leaders_own_;
  ZnodeTree* committed_;
};

}  // namespace lockstep::fakezk
