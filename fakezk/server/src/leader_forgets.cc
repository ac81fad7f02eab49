// Servers that forget what they have acknowledged (Z119): ZooKeeper up to 3.8.4 and 3.9.1.
#include <algorithm>
#include <utility>

#include "lockstep/fakezk/leader.h"

namespace lockstep::fakezk {

namespace {

// A znode that the forgotten writes have touched, as it was before they were forgotten.
struct Remembered {
  PathId path;
  ZnodeFacts facts;
};

std::vector<Remembered> touched_by(std::span<const Txn> forgotten, const Leader& leader,
                                   const ZnodeTree& tree) {
  std::vector<Remembered> touched;
  for (const Txn& txn : forgotten) {
    for (const Change& change : leader.changes_of(txn)) {
      if (std::ranges::find(touched, change.path, &Remembered::path) != touched.end()) continue;
      const Znode* const znode = tree.find(change.path);
      touched.push_back(
          {change.path, znode ? static_cast<const ZnodeFacts&>(*znode) : ZnodeFacts()});
    }
  }
  return touched;
}

bool has_had_children(const Znode& znode) { return znode.has_had_children(); }

// Records in the history what the forgetting has changed.
class Difference {
 public:
  Difference(History& history, const ZnodeTree& tree, Zxid zxid)
      : history_(history), tree_(tree), zxid_(zxid) {}

  // Created znodes go first, children before parents; then deleted ones come back.
  void note(std::span<const Remembered> touched) {
    for (auto znode = touched.rbegin(); znode != touched.rend(); ++znode) {
      const Znode* const now = tree_.find(znode->path);
      const bool other = !now || now->czxid != znode->facts.czxid;
      if (znode->facts.exists && other) note(Change::Kind::kDeleted, znode->path, znode->facts);
    }
    for (const auto& [path, before] : touched) {
      const Znode* const now = tree_.find(path);
      if (!now) continue;
      if (!before.exists || now->czxid != before.czxid) {
        note(Change::Kind::kCreated, path, *now);
        continue;
      }
      if (now->mzxid != before.mzxid) note(Change::Kind::kDataSet, path, *now);
      if (now->aversion != before.aversion) note(Change::Kind::kAclSet, path, *now);
    }
  }

 private:
  void note(Change::Kind kind, PathId path, const ZnodeFacts& facts) {
    Change& change =
        history_.emplace_back(kind, path, zxid_, kForgetfulness, facts.ephemeral_owner);
    if (kind == Change::Kind::kDeleted) return;
    change.data = tree_.find(path)->data;
    change.acl = facts.acl;
    change.lifetime = facts.lifetime;
  }

  History& history_;
  const ZnodeTree& tree_;
  Zxid zxid_;
};

}  // namespace

// Reads the counters from the tree, because the log does not show that one was wound.
std::vector<Leader::Counter> Leader::counters_before(std::size_t first_change) const {
  std::vector<Counter> counters;
  for (const PathId parent : tree_.select(&has_had_children)) {
    const Znode& znode = *tree_.find(parent);
    counters.push_back({parent, znode.czxid, znode.children_created});
  }
  for (std::size_t i = history_.size(); i > first_change; --i) {
    const Change& change = history_[i - 1];
    // At the end of the sequence the counter sticks, and the change has no number.
    if (change.kind != Change::Kind::kCreated || change.version <= 0) continue;
    for (Counter& counter : counters) {
      if (counter.parent != paths_->parent(change.path)) continue;
      counter.children_created = change.version - 1;
    }
  }
  return counters;
}

// Writes that a quorum has lost never happened for the servers: a follower whose epoch is newer
// than its log leads (FastLeaderElection.totalOrderPredicate), and the others cut their logs back
// to its (LearnerHandler.syncFollower, TRUNC).
std::vector<Leader::Counter> Leader::forget(std::uint32_t writes, TimePoint now) {
  const std::size_t end = log_.end_without(writes);
  const std::vector<Remembered> touched = touched_by(log_.after(end), *this, tree_);
  std::vector<Counter> counters = counters_before(log_[end].first_change);
  log_.cut_back(end);
  apply_log_again(now);
  Difference(history_, tree_, zxid_).note(touched);
  std::erase_if(counters, [this](const Counter& counter) {
    const Znode* const parent = tree_.find(counter.parent);
    const bool is_same = parent && parent->czxid == counter.czxid;
    return !is_same || parent->children_created >= counter.children_created;
  });
  return counters;
}

}  // namespace lockstep::fakezk
