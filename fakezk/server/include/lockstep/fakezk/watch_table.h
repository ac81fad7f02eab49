#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "lockstep/fakezk/path_table.h"
#include "lockstep/watch.h"

namespace lockstep::fakezk {

// The number of a client's place, which has at most one connection at a time.
using LinkIndex = std::uint32_t;

// How long a watch lasts, and what it hears of (ZooKeeper's WatcherMode): of its znode once, of its
// znode each time, or of its znode and all that is below, but not that children have changed.
enum class WatchMode : std::uint8_t { kOneShot, kPersistent, kRecursive };

// The watches of one server: one entry per path and connection however often it was registered, in
// the mode of the last time (ZooKeeper's WatchManager). The server has two tables: data (get_data,
// exists) and child.
class WatchTable {
 public:
  void reset();
  void add(PathId path, LinkIndex link, WatchMode mode = WatchMode::kOneShot);
  // Returns false if there was nothing to remove.
  bool remove(PathId path, LinkIndex link);
  // The connections with a watch on `path`, whose one-shot watches are removed. The next call
  // reuses the buffer.
  const std::vector<LinkIndex>& take(PathId path);
  // The connections that hear of an event, including those with recursive watches, which `take`
  // ignores.
  const std::vector<LinkIndex>& take_told(PathId path, EventType type, PathTable& paths) {
    take(path);
    if (recursive_ > 0) [[unlikely]]
      tell_recursive(path, type, paths);
    return taken_;
  }
  [[nodiscard]] bool contains(PathId path, LinkIndex link) const;
  // How long the watch lasts that a connection has on `path`.
  [[nodiscard]] WatchMode mode(PathId path, LinkIndex link) const;
  // Whether there is a watch on `path`.
  [[nodiscard]] bool any(PathId path) const {
    return any() && path < watchers_.size() && !watchers_[path].empty();
  }
  // Whether there is a recursive one, which may hear of any znode.
  [[nodiscard]] bool any_recursive() const { return recursive_ != 0; }
  // Whether there is any watch.
  [[nodiscard]] bool any() const { return count_ != 0; }
  // The paths watched by a connection, in the order of registration.
  [[nodiscard]] std::vector<PathId> watched_by(LinkIndex link) const;
  // A connection has ended: removes all its entries.
  void drop(LinkIndex link);

 private:
  using Place = std::pair<PathId, LinkIndex>;

  void set_mode(Place place, WatchMode mode);
  void tell_recursive(PathId path, EventType type, PathTable& paths);

  std::vector<std::vector<LinkIndex>> watchers_;  // By PathId.
  std::vector<std::vector<PathId>> watched_;      // by LinkIndex; may contain fired ones
  std::size_t count_ = 0;                         // of all watchers
  // Those that are not one-shot, and whether they are recursive. Only looked up in: the order of
  // path numbers must not matter.
  std::map<Place, bool> lasting_;
  std::size_t recursive_ = 0;  // of lasting_
  std::vector<LinkIndex> taken_;
};

}  // namespace lockstep::fakezk
