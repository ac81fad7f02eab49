#include "lockstep/fakezk/reaper.h"

#include <algorithm>

namespace lockstep::fakezk {

void Reaper::reset() {
  timers_.erase(check_);
  check_.scheduled = false;
  for (const PathId id : mortal_) is_mortal_[id] = false;
  mortal_.clear();
  found_.clear();
}

void Reaper::follow(const Change& change, PathId parent, TimePoint now) {
  if (change.kind == Change::Kind::kCreated) {
    if (change.lifetime != Lifetime::kContainer && change.lifetime != Lifetime::kTtl) return;
    mortal_.push_back(change.path);
    if (change.path >= is_mortal_.size()) is_mortal_.resize(change.path + 1);
    is_mortal_[change.path] = true;
    if (change.lifetime == Lifetime::kTtl) schedule(now);
  } else if (change.kind == Change::Kind::kDeleted) {
    if (mortal(change.path)) {
      is_mortal_[change.path] = false;
      std::erase(mortal_, change.path);
    }
    if (mortal(parent)) schedule(now);
  }
}

PathId Reaper::take(std::size_t index) {
  const PathId id = found_[index];
  found_.erase(found_.begin() + static_cast<std::ptrdiff_t>(index));
  return id;
}

void Reaper::schedule(TimePoint now) {
  if (check_.scheduled) return;
  check_.scheduled = true;
  timers_.push(check_, TimePoint((now.time_since_epoch() / interval_ + 1) * interval_));
}

// A container may go once it has had a child; a znode with a time to live, from the start.
bool Reaper::may_go(PathId id) const {
  const Znode& znode = *tree_.find(id);
  if (!znode.children.empty()) return false;
  return znode.lifetime == Lifetime::kTtl || znode.children_created > 0;
}

// ContainerManager.getCandidates
void Reaper::look(TimePoint now) {
  check_.scheduled = false;
  bool again = false;
  std::vector<PathId> candidates;
  for (const PathId id : mortal_) {
    if (!may_go(id)) continue;
    const Znode& znode = *tree_.find(id);
    const bool old = wall_clock_ms(now) - znode.mtime_ms > znode.ttl_ms;
    if (znode.lifetime == Lifetime::kTtl && !old) {
      again = true;
    } else if (std::ranges::find(found_, id) == found_.end()) {
      candidates.push_back(id);
    }
  }
  unspecified_.shuffle(candidates);
  found_.insert(found_.end(), candidates.begin(), candidates.end());
  if (!candidates.empty()) work_found_ = true;
  if (again) schedule(now);
}

}  // namespace lockstep::fakezk
