#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "lockstep/internal/language.h"

namespace lockstep::fakezk {

// The source of choices that ZooKeeper leaves open: a number below `options`, of which 0 is as good
// as any.
class Unspecified {
 public:
  virtual std::uint32_t number(std::uint32_t options) = 0;
  // The same, for choices that decide only an order.
  virtual std::uint32_t order(std::uint32_t options) { return number(options); }

  // Puts a list into an unspecified order. Fisher and Yates, from the front, so that zeros leave
  // all entries in place. A long list is only rotated: its exact order no longer matters, and one
  // choice per entry would be too many.
  template <class List>
  void shuffle(List& list) {
    const auto count = static_cast<std::uint32_t>(list.size());
    if (count > kMostShuffled) {
      const std::uint32_t first = order(count);
      std::rotate(list.begin(), list.begin() + first, list.end());
      return;
    }
    for (std::uint32_t i = 0; i + 1 < count; ++i) {
      const std::uint32_t other = i + order(count - i);
      std::swap(list[i], list[other]);
    }
  }

 protected:
  ~Unspecified() = default;

 private:
  static constexpr std::uint32_t kMostShuffled = 8;
};

}  // namespace lockstep::fakezk
