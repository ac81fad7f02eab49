#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep::search {

// A set of hashes that only grows. Each hash takes 8 to 12 bytes, and twice as much for a moment
// while the set grows.
class StateSet {
 public:
  void insert(std::uint64_t state) {
    recent_.push_back(state);
    if (recent_.size() > kRecent + sorted_.size() / 4) settle();
  }
  void insert(const std::vector<std::uint64_t>& states) {
    for (const std::uint64_t state : states) insert(state);
  }
  void clear() { *this = StateSet(); }
  // In ascending order; valid until the next insertion.
  [[nodiscard]] const std::vector<std::uint64_t>& sorted() {
    settle();
    return sorted_;
  }

 private:
  static constexpr std::size_t kRecent = 1024;

  void settle();

  std::vector<std::uint64_t> sorted_;  // Without duplicates.
  std::vector<std::uint64_t> recent_;  // In any order; some may be in `sorted_`.
};

}  // namespace lockstep::search
