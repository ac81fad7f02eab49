#include "lockstep/fakezk/watch_table.h"

#include <algorithm>
#include <set>

namespace lockstep::fakezk {

void WatchTable::reset() {
  for (std::vector<PathId>& paths : watched_) {
    for (const PathId path : paths) watchers_[path].clear();
    paths.clear();
  }
  count_ = 0;
  lasting_.clear();
  recursive_ = 0;
}

// ZOOKEEPER-4466: a plain watch turns a persistent one into its own kind.
void WatchTable::set_mode(Place place, WatchMode mode) {
  const auto known = lasting_.find(place);
  if (known != lasting_.end()) {
    if (known->second) --recursive_;
    lasting_.erase(known);
  }
  if (mode == WatchMode::kOneShot) return;
  const bool recursive = mode == WatchMode::kRecursive;
  lasting_.emplace(place, recursive);
  if (recursive) ++recursive_;
}

void WatchTable::add(PathId path, LinkIndex link, WatchMode mode) {
  if (mode != WatchMode::kOneShot || !lasting_.empty()) set_mode({path, link}, mode);
  if (path >= watchers_.size()) watchers_.resize(path + 1);
  if (link >= watched_.size()) watched_.resize(link + 1);
  if (contains(path, link)) return;
  watchers_[path].push_back(link);
  watched_[link].push_back(path);
  ++count_;
}

bool WatchTable::remove(PathId path, LinkIndex link) {
  const std::size_t removed = path < watchers_.size() ? std::erase(watchers_[path], link) : 0;
  count_ -= removed;
  if (!lasting_.empty()) set_mode({path, link}, WatchMode::kOneShot);
  return removed > 0;
}

const std::vector<LinkIndex>& WatchTable::take(PathId path) {
  taken_.clear();
  if (any(path)) std::swap(taken_, watchers_[path]);
  count_ -= taken_.size();
  for (auto last = lasting_.lower_bound({path, 0});
       last != lasting_.end() && last->first.first == path; ++last) {
    watchers_[path].push_back(last->first.second);
    ++count_;
  }
  return taken_;
}

// WatchManager.triggerWatch.
void WatchTable::tell_recursive(PathId path, EventType type, PathTable& paths) {
  if (type == EventType::kChild) {
    std::erase_if(taken_, [&](LinkIndex link) {
      const auto last = lasting_.find({path, link});
      return last != lasting_.end() && last->second;
    });
    return;
  }
  while (path != PathTable::kRoot) {
    path = paths.parent(path);
    for (auto last = lasting_.lower_bound({path, 0});
         last != lasting_.end() && last->first.first == path; ++last) {
      const LinkIndex link = last->first.second;
      if (!last->second || std::ranges::find(taken_, link) != taken_.end()) continue;
      taken_.push_back(link);
    }
  }
}

bool WatchTable::contains(PathId path, LinkIndex link) const {
  return path < watchers_.size() &&
         std::ranges::find(watchers_[path], link) != watchers_[path].end();
}

WatchMode WatchTable::mode(PathId path, LinkIndex link) const {
  const auto known = lasting_.find({path, link});
  if (known == lasting_.end()) return WatchMode::kOneShot;
  return known->second ? WatchMode::kRecursive : WatchMode::kPersistent;
}

std::vector<PathId> WatchTable::watched_by(LinkIndex link) const {
  std::vector<PathId> paths;
  if (link >= watched_.size()) return paths;
  std::set<PathId> listed;
  for (const PathId path : watched_[link]) {
    // The list may contain paths whose watches have fired, even twice if they were watched again.
    if (contains(path, link) && listed.insert(path).second) paths.push_back(path);
  }
  return paths;
}

void WatchTable::drop(LinkIndex link) {
  if (link >= watched_.size()) return;
  for (const PathId path : watched_[link]) {
    count_ -= std::erase(watchers_[path], link);
    if (!lasting_.empty()) set_mode({path, link}, WatchMode::kOneShot);
  }
  watched_[link].clear();
}

}  // namespace lockstep::fakezk
