#include "lockstep/fakezk/watch_table.h"

#include <algorithm>

namespace lockstep::fakezk {

void WatchTable::reset() {
  for (std::vector<PathId>& paths : watched_) {
    for (const PathId path : paths) watchers_[path].clear();
    paths.clear();
  }
  count_ = 0;
}

void WatchTable::add(PathId path, LinkIndex link) {
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
  return removed > 0;
}

const std::vector<LinkIndex>& WatchTable::take(PathId path) {
  taken_.clear();
  if (any(path)) std::swap(taken_, watchers_[path]);
  count_ -= taken_.size();
  return taken_;
}

bool WatchTable::contains(PathId path, LinkIndex link) const {
  return path < watchers_.size() &&
         std::ranges::find(watchers_[path], link) != watchers_[path].end();
}

std::vector<PathId> WatchTable::watched_by(LinkIndex link) const {
  std::vector<PathId> paths;
  if (link >= watched_.size()) return paths;
  for (const PathId path : watched_[link]) {
    // The list may contain a path whose watch has fired, even twice if it was watched again.
    if (contains(path, link) && std::ranges::find(paths, path) == paths.end()) {
      paths.push_back(path);
    }
  }
  return paths;
}

void WatchTable::drop(LinkIndex link) {
  if (link >= watched_.size()) return;
  for (const PathId path : watched_[link]) count_ -= std::erase(watchers_[path], link);
  watched_[link].clear();
}

}  // namespace lockstep::fakezk
