#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/fakezk/path_table.h"

namespace lockstep::fakezk {

// The number of a client's end, which has at most one connection at a time.
using LinkIndex = std::uint32_t;

// The watches of one server: one-shot, one entry per path and connection however often it was
// registered (ZooKeeper's WatchManager). The server has two: data (get_data, exists) and child.
class WatchTable {
 public:
  void reset();
  void add(PathId path, LinkIndex link);
  // False if there was nothing to remove.
  bool remove(PathId path, LinkIndex link);
  // The connections that watch `path`, and forgets them. The buffer is reused by the next call.
  const std::vector<LinkIndex>& take(PathId path);
  [[nodiscard]] bool contains(PathId path, LinkIndex link) const;
  // Whether anybody watches `path`.
  [[nodiscard]] bool any(PathId path) const {
    return any() && path < watchers_.size() && !watchers_[path].empty();
  }
  // Or anything at all.
  [[nodiscard]] bool any() const { return count_ != 0; }
  // What a connection watches, in the order of registration.
  [[nodiscard]] std::vector<PathId> watched_by(LinkIndex link) const;
  // A connection has ended: all its entries go.
  void drop(LinkIndex link);

 private:
  std::vector<std::vector<LinkIndex>> watchers_;  // By PathId.
  std::vector<std::vector<PathId>> watched_;      // By LinkIndex; may hold fired ones.
  std::size_t count_ = 0;                         // Of all watchers.
  std::vector<LinkIndex> taken_;
};

}  // namespace lockstep::fakezk
