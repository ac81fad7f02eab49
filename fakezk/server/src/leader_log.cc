#include "lockstep/fakezk/leader_log.h"

namespace lockstep::fakezk {

void LeaderLog::clear() {
  entries_.clear();
  kept_ = 0;
}

std::uint32_t LeaderLog::forgettable() const {
  std::uint32_t writes = 0;
  for (std::size_t entry = size(); entry > kept_ && writes < kMostForgotten; --entry) {
    if (entries_[entry - 1].change_count > 0) ++writes;
  }
  return writes;
}

std::size_t LeaderLog::end_without(std::uint32_t writes) const {
  std::size_t end = size();
  for (writes = std::min(writes, forgettable()); writes > 0; --end) {
    if (entries_[end - 1].change_count > 0) --writes;
  }
  return end;
}

void LeaderLog::cut_back(std::size_t end) {
  entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(end), entries_.end());
}

}  // namespace lockstep::fakezk
