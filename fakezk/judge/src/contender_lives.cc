#include "lockstep/judge/contender_lives.h"

#include <algorithm>
#include <optional>

namespace lockstep::judge {

void ContenderLives::begin(const std::shared_ptr<fakezk::PathTable>& paths) {
  lives_.clear();
  followed_ = 0;
  changes_.clear();
  if (paths == paths_) return;
  paths_ = paths;
  roles_.clear();
}

std::size_t ContenderLives::changes_until(Zxid zxid) const {
  std::size_t count = changes_.size();
  while (count > 0 && changes_[count - 1] > zxid) --count;
  return count;
}

const ContenderLives::Role& ContenderLives::read_role(fakezk::PathId znode) {
  if (znode >= roles_.size()) roles_.resize(std::size_t{znode} + 1);
  Role& role = roles_[znode];
  role.known = true;
  const std::string_view name = paths_->name(znode);
  if (const std::optional<Contender> known = contender(name, rules_.marks)) {
    role.contends = true;
    role.contender = *known;
  } else if (!rules_.single.empty() && name == rules_.single) {
    role.contends = true;
    role.contender = {0, Share::kExclusive};
  } else if (!rules_.lease.empty()) {
    const auto number = sequence_number(name, rules_.lease);
    if (!number) return role;
    role.contends = true;
    role.contender = {*number, Share::kShared};
    role.lease = true;
  }
  return role;
}

// The deletion was forgotten: the latest life of the znode continues.
void ContenderLives::came_back(const fakezk::Change& change) {
  const auto last = std::find_if(lives_.rbegin(), lives_.rend(), [&](const ContenderLife& life) {
    return life.znode == change.path && life.deleted != 0;
  });
  if (last == lives_.rend()) return;
  if (last->away_from == 0) last->away_from = last->deleted;
  last->away_until = change.zxid;
  last->deleted = 0;
  last->deleted_by = 0;
}

void ContenderLives::touched(const fakezk::Change& change) {
  for (ContenderLife& life : lives_) {
    if (life.znode == change.path && life.deleted == 0) life.touched = change.zxid;
  }
}

Zxid ContenderLives::deleted_after(Zxid zxid, const Path& znode) const {
  const std::optional<fakezk::PathId> id = paths_->find(znode.text());
  if (!id) return 0;
  for (const ContenderLife& life : lives_) {
    if (life.znode != *id) continue;
    if (life.away_from > zxid) return life.away_from;
    if (life.deleted > zxid) return life.deleted;
  }
  return 0;
}

const ContenderLife* ContenderLives::living(const Path& znode) const {
  const std::optional<fakezk::PathId> id = paths_->find(znode.text());
  if (!id) return nullptr;
  const auto found = std::ranges::find_if(
      lives_, [&](const ContenderLife& life) { return life.znode == *id && life.deleted == 0; });
  return found == lives_.end() ? nullptr : &*found;
}

}  // namespace lockstep::judge
