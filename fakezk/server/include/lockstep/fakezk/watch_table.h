#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/fakezk/path_table.h"

namespace lockstep::fakezk {

// The number of a client's place, which has at most one connection at a time.
using LinkIndex = std::uint32_t;

// The watches of one server: one-shot, one entry per path and connection however often it was
// registered (ZooKeeper's WatchManager). The server has two tables: data (get_data, exists) and
// child.
class WatchTable {
 public:
  void reset();
  void add(PathId path, LinkIndex link);
  // Returns false if there was nothing to remove.
  bool remove(PathId path, LinkIndex link);
  // Removes the watches on `path` and returns their connections. The next call reuses the buffer.
  const std::vector<LinkIndex>& take(PathId path);
  [[nodiscard]] bool contains(PathId path, LinkIndex link) const;
  // Whether there is a watch on `path`.
  [[nodiscard]] bool any(PathId path) const {
    return any() && path < watchers_.size() && !watchers_[path].empty();
  }
  // Whether there is any watch.
  [[nodiscard]] bool any() const { return count_ != 0; }
  // The paths watched by a connection, in the order of registration.
  [[nodiscard]] std::vector<PathId> watched_by(LinkIndex link) const;
  // A connection has ended: removes all its entries.
  void drop(LinkIndex link);

 private:
  std::vector<std::vector<LinkIndex>> watchers_;  // By PathId.
  std::vector<std::vector<PathId>> watched_;      // by LinkIndex; may contain fired ones
  std::size_t count_ = 0;                         // of all watchers
  std::vector<LinkIndex> taken_;
};

}  // namespace lockstep::fakezk
