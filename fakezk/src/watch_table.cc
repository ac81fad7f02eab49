#include "lockstep/fakezk/watch_table.h"

#include <algorithm>

namespace lockstep::fakezk {

void WatchTable::reset() {
  for (LinkIndex link = 0; link < watched_.size(); ++link) drop(link);
}

void WatchTable::add(PathId path, LinkIndex link) {
  if (path >= watchers_.size()) watchers_.resize(path + 1);
  if (link >= watched_.size()) watched_.resize(link + 1);
  if (contains(path, link)) return;
  watchers_[path].push_back(link);
  watched_[link].push_back(path);
}

bool WatchTable::remove(PathId path, LinkIndex link) {
  return path < watchers_.size() && std::erase(watchers_[path], link) > 0;
}

const std::vector<LinkIndex>& WatchTable::take(PathId path) {
  taken_.clear();
  if (any(path)) std::swap(taken_, watchers_[path]);
  return taken_;
}

bool WatchTable::contains(PathId path, LinkIndex link) const {
  return path < watchers_.size() &&
         std::ranges::find(watchers_[path], link) != watchers_[path].end();
}

bool WatchTable::any() const {
  return std::ranges::any_of(watchers_, [](const auto& links) { return !links.empty(); });
}

std::vector<PathId> WatchTable::watched_by(LinkIndex link) const {
  std::vector<PathId> paths;
  if (link >= watched_.size()) return paths;
  for (const PathId path : watched_[link]) {
    // A path whose watch has fired may stand there, also twice if it was watched again.
    if (contains(path, link) && std::ranges::find(paths, path) == paths.end()) {
      paths.push_back(path);
    }
  }
  return paths;
}

void WatchTable::drop(LinkIndex link) {
  if (link >= watched_.size()) return;
  for (const PathId path : watched_[link]) std::erase(watchers_[path], link);
  watched_[link].clear();
}

}  // namespace lockstep::fakezk
