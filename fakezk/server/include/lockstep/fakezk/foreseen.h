#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "lockstep/fakezk/path_table.h"
#include "lockstep/fakezk/znode_tree.h"

namespace lockstep::fakezk {

// The znodes that one multi has changed so far, as they will be
// (PrepRequestProcessor.outstandingChangesForPath). A sparse set: clearing it costs nothing, and it
// keeps its memory.
class Foreseen {
 public:
  void clear() { znodes_.clear(); }
  // Null if it is not among them. Valid until the next call of add().
  [[nodiscard]] const ZnodeFacts* find(PathId id) const {
    return has(id) ? &znodes_[places_[id]].second : nullptr;
  }
  // Adds the znode unless it is there.
  ZnodeFacts& add(PathId id, const ZnodeFacts& committed) {
    if (!has(id)) {
      if (id >= places_.size()) places_.resize(std::max<std::size_t>(id + 1, 2 * places_.size()));
      places_[id] = static_cast<std::uint32_t>(znodes_.size());
      znodes_.emplace_back(id, committed);
    }
    return znodes_[places_[id]].second;
  }

 private:
  [[nodiscard]] bool has(PathId id) const {
    return id < places_.size() && places_[id] < znodes_.size() && znodes_[places_[id]].first == id;
  }

  std::vector<std::pair<PathId, ZnodeFacts>> znodes_;
  std::vector<std::uint32_t> places_;  // By PathId; may be those of an earlier multi.
};

}  // namespace lockstep::fakezk
