#include "exhaustive/state_set.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lockstep::search {

void StateSet::settle() {
  if (recent_.empty()) return;
  std::ranges::sort(recent_);
  recent_.erase(std::ranges::unique(recent_).begin(), recent_.end());
  std::vector<std::uint64_t> all;
  all.reserve(sorted_.size() + recent_.size());
  std::ranges::set_union(sorted_, recent_, std::back_inserter(all));
  sorted_ = std::move(all);
  recent_.clear();
}

}  // namespace lockstep::search
