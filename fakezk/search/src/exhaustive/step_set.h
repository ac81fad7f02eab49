#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep::search {

// A set of steps, by their numbers.
class StepSet {
 public:
  void clear() { words_.clear(); }
  void insert(std::size_t step) {
    if (step / kBits >= words_.size()) words_.resize(step / kBits + 1, 0);
    words_[step / kBits] |= std::uint64_t{1} << (step % kBits);
  }
  void insert(const StepSet& other) {
    if (words_.size() < other.words_.size()) words_.resize(other.words_.size(), 0);
    for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
  }
  [[nodiscard]] bool contains(std::size_t step) const {
    return step / kBits < words_.size() && (words_[step / kBits] >> (step % kBits) & 1) != 0;
  }
  [[nodiscard]] bool meets(const StepSet& other) const {
    for (std::size_t i = 0; i < words_.size() && i < other.words_.size(); ++i) {
      if ((words_[i] & other.words_[i]) != 0) return true;
    }
    return false;
  }
  template <class Visit>
  void each(Visit visit) const {
    for (std::size_t word = 0; word < words_.size(); ++word) {
      for (std::uint64_t left = words_[word]; left != 0; left &= left - 1) {
        visit(word * kBits + static_cast<std::size_t>(std::countr_zero(left)));
      }
    }
  }

 private:
  static constexpr std::size_t kBits = 64;
  std::vector<std::uint64_t> words_;
};

}  // namespace lockstep::search
