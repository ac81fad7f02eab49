// Servers that forget what they have acknowledged (Z119): ZooKeeper up to 3.8.4 and 3.9.1.
#include <algorithm>
#include <utility>

#include "lockstep/fakezk/server.h"

namespace lockstep::fakezk {

namespace {

// The state from which sequence numbers under a parent are made.
struct Counter {
  PathId parent;
  Zxid czxid;
  std::int32_t children_created;
};

// The counters before the changes from `first` on. The log does not show that one was wound.
std::vector<Counter> counters_before(const Server& server, std::size_t first) {
  std::vector<Counter> counters;
  for (const PathId parent : server.parents()) {
    const Znode& znode = *server.tree().find(parent);
    counters.push_back({parent, znode.czxid, znode.children_created});
  }
  for (std::size_t i = server.history().size(); i > first; --i) {
    const Change& change = server.history()[i - 1];
    // At the end of the sequence the counter sticks, and the change has no number.
    if (change.kind != Change::Kind::kCreated || change.version <= 0) continue;
    for (Counter& counter : counters) {
      if (counter.parent != server.paths().parent(change.path)) continue;
      counter.children_created = change.version - 1;
    }
  }
  return counters;
}

}  // namespace

// Writes that a quorum has lost never happened for the servers: a follower whose epoch is newer
// than its log leads (FastLeaderElection.totalOrderPredicate), and the others cut their logs back
// to its (LearnerHandler.syncFollower, TRUNC).
void Server::forget_writes(std::uint32_t writes, TimePoint now) {
  if (recorder_) recorder_->touches_everything();
  change_leader(now);
  const std::size_t end = log_.end_without(writes);
  if (end == log_.size()) return;
  const std::vector<Remembered> touched = touched_since(end);
  const std::vector<Counter> counters = counters_before(*this, log_[end].first_change);
  log_.cut_back(end);
  apply_log_again(now);
  for (const Counter& counter : counters) {
    const Znode* const parent = leader_tree_->find(counter.parent);
    const bool is_same = parent && parent->czxid == counter.czxid;
    if (is_same && parent->children_created < counter.children_created) {
      wind_sequence(counter.parent, counter.children_created);
    }
  }
  note_forgotten(touched);
}

std::vector<Server::Remembered> Server::touched_since(std::size_t entry) const {
  std::vector<Remembered> touched;
  for (const Txn& txn : log_.after(entry)) {
    for (const Change& change : changes_of(txn)) {
      if (std::ranges::find(touched, change.path, &Remembered::path) != touched.end()) continue;
      const Znode* const znode = leader_tree_->find(change.path);
      touched.push_back(
          {change.path, znode ? static_cast<const ZnodeFacts&>(*znode) : ZnodeFacts()});
    }
  }
  return touched;
}

// The history says what is different now. First goes what was created, children before parents,
// then what was deleted comes back.
void Server::note_forgotten(std::span<const Remembered> touched) {
  for (auto znode = touched.rbegin(); znode != touched.rend(); ++znode) {
    const Znode* const now = leader_tree_->find(znode->path);
    const bool other = !now || now->czxid != znode->facts.czxid;
    if (znode->facts.exists && other) {
      note_forgotten(Change::Kind::kDeleted, znode->path, znode->facts);
    }
  }
  for (const auto& [path, before] : touched) {
    const Znode* const now = leader_tree_->find(path);
    if (!now) continue;
    if (!before.exists || now->czxid != before.czxid) {
      note_forgotten(Change::Kind::kCreated, path, *now);
      continue;
    }
    if (now->mzxid != before.mzxid) note_forgotten(Change::Kind::kDataSet, path, *now);
    if (now->aversion != before.aversion) note_forgotten(Change::Kind::kAclSet, path, *now);
  }
}

void Server::note_forgotten(Change::Kind kind, PathId path, const ZnodeFacts& facts) {
  Change& change = history_.emplace_back(kind, path, zxid_, kForgetfulness, facts.ephemeral_owner);
  if (kind == Change::Kind::kDeleted) return;
  change.data = leader_tree_->find(path)->data;
  change.acl = facts.acl;
  change.lifetime = facts.lifetime;
}

}  // namespace lockstep::fakezk
