#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/fakezk/history.h"
#include "lockstep/fakezk/path_table.h"
#include "lockstep/judge/lock_rules.h"

namespace lockstep::judge {

// One life of a contender's znode, as the server committed it. A name can be used again after its
// parent has been recreated: each life is another contender.
struct ContenderLife {
  fakezk::PathId znode;
  fakezk::PathId lock;
  Contender contender;
  bool lease;
  Zxid created;
  SessionId owner;
  Zxid deleted = 0;  // 0: it lives.
  SessionId deleted_by = 0;
  Zxid touched = 0;  // When its data was last set.
  // The servers had forgotten that they created it when it went (FaultKind::kForgottenWrites). No
  // transaction has deleted it.
  bool forgotten = false;
  // The zxid of a deletion that the servers have forgotten since, so that it lives again; 0: none.
  Zxid away_from = 0;
  Zxid away_until = 0;

  [[nodiscard]] bool gone_at(Zxid zxid) const {
    if (deleted != 0 && deleted <= zxid) return true;
    return away_from != 0 && away_from <= zxid && zxid < away_until;
  }
};

// The lives of all contenders of an execution, in the order of their creation, and when queues
// changed: read from the history of the servers.
class ContenderLives {
 public:
  explicit ContenderLives(LockRules rules) : rules_(std::move(rules)) {}

  // A new execution, on servers with that table.
  void begin(const std::shared_ptr<fakezk::PathTable>& paths);
  // Reads what the servers have committed since the last call: most often nothing. Calls
  // deleted(change, life) for each contender that has been deleted.
  template <class Deleted>
  void follow(const fakezk::History& history, Deleted deleted) {
    if (followed_ < history.size()) read(history, deleted);
  }

  [[nodiscard]] const ContenderLife* find(const Path& znode, Zxid created) const;
  // The zxid of the first deletion of a znode after `zxid`; 0: there was none.
  [[nodiscard]] Zxid deleted_after(Zxid zxid, const Path& znode) const;
  // The current life of a znode; null if there is none.
  [[nodiscard]] const ContenderLife* living(const Path& znode) const;
  [[nodiscard]] std::size_t index_of(const ContenderLife& life) const {
    return static_cast<std::size_t>(&life - lives_.data());
  }
  [[nodiscard]] const ContenderLife& operator[](std::size_t index) const { return lives_[index]; }
  [[nodiscard]] std::size_t size() const { return lives_.size(); }
  [[nodiscard]] auto begin() const { return lives_.begin(); }
  [[nodiscard]] auto end() const { return lives_.end(); }

  // Creations and deletions of contenders: all, or those up to a zxid.
  [[nodiscard]] std::size_t changes() const { return changes_.size(); }
  [[nodiscard]] std::size_t changes_until(Zxid zxid) const;

 private:
  // A znode's role according to its name.
  struct Role {
    Contender contender{};
    bool contends = false;
    bool lease = false;
    bool known = false;
  };

  template <class Deleted>
  [[gnu::always_inline]] void read(const fakezk::History& history, Deleted& deleted);
  [[nodiscard]] const Role& role_of(fakezk::PathId znode) {
    return znode < roles_.size() && roles_[znode].known ? roles_[znode] : read_role(znode);
  }
  const Role& read_role(fakezk::PathId znode);
  [[gnu::always_inline]] void created(const fakezk::Change& change);
  [[gnu::cold]] void came_back(const fakezk::Change& change);
  // The life that has ended; null if it was no contender's.
  [[gnu::always_inline]] const ContenderLife* ended(const fakezk::Change& change);
  void touched(const fakezk::Change& change);

  LockRules rules_;
  std::vector<ContenderLife> lives_;
  // By PathId, and kept from one execution to the next: every execution makes much the same znodes.
  std::vector<Role> roles_;
  std::shared_ptr<fakezk::PathTable> paths_;
  std::size_t followed_ = 0;   // Entries of the history.
  std::vector<Zxid> changes_;  // In their order.
};

template <class Deleted>
inline void ContenderLives::read(const fakezk::History& history, Deleted& deleted) {
  for (; followed_ < history.size(); ++followed_) {
    const fakezk::Change& change = history[followed_];
    if (change.owner == 0) continue;  // Contenders are ephemeral.
    if (change.kind == fakezk::Change::Kind::kCreated) created(change);
    if (change.kind == fakezk::Change::Kind::kDataSet) touched(change);
    if (change.kind != fakezk::Change::Kind::kDeleted) continue;
    if (const ContenderLife* const life = ended(change)) deleted(change, *life);
  }
}

inline void ContenderLives::created(const fakezk::Change& change) {
  const Role& role = role_of(change.path);
  if (!role.contends) return;
  changes_.push_back(change.zxid);
  if (change.actor == fakezk::kForgetfulness) [[unlikely]]
    return came_back(change);
  lives_.emplace_back(change.path, paths_->parent(change.path), role.contender, role.lease,
                      change.zxid, change.owner);
}

inline const ContenderLife* ContenderLives::ended(const fakezk::Change& change) {
  for (ContenderLife& life : lives_) {
    if (life.znode != change.path || life.deleted != 0) continue;
    life.deleted = change.zxid;
    life.deleted_by = change.actor;
    life.forgotten = change.actor == fakezk::kForgetfulness;
    changes_.push_back(change.zxid);
    return &life;  // No other life of it continues.
  }
  return nullptr;
}

inline const ContenderLife* ContenderLives::find(const Path& znode, Zxid created) const {
  for (const ContenderLife& life : lives_) {
    if (life.created == created && paths_->text(life.znode) == znode.text()) return &life;
  }
  return nullptr;
}

}  // namespace lockstep::judge
