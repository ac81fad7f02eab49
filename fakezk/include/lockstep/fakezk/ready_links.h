#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lockstep/fakezk/watch_table.h"

namespace lockstep::fakezk {

// What can happen at the links now: two bits for each of them, which change where a message is sent
// or taken. Every step of every execution looks for those that are set, and most are not.
class ReadyLinks {
 public:
  enum class Way : std::uint8_t { kDeliver, kApply };

  // For so many links; what is new is not ready.
  void resize(LinkIndex links) { words_.resize((std::size_t{links} + kLinks - 1) / kLinks, 0); }
  void set(LinkIndex link, Way way) { words_[link / kLinks] |= bit(link, way); }
  void clear(LinkIndex link, Way way) { words_[link / kLinks] &= ~bit(link, way); }
  void set(LinkIndex link, Way way, bool ready) { ready ? set(link, way) : clear(link, way); }

  [[nodiscard]] bool is(LinkIndex link, Way way) const {
    return (words_[link / kLinks] & bit(link, way)) != 0;
  }
  // Calls act(link, way) for whatever is ready: by link, but for one, which comes first. Of one
  // link, delivery comes first.
  template <class Act>
  void each(LinkIndex first, Act act) const {
    const std::size_t home = first / kLinks;
    const std::uint64_t its = std::uint64_t{3} << (first % kLinks * kWays);
    if (home < words_.size()) each_of(words_[home] & its, home, act);
    for (std::size_t word = 0; word < words_.size(); ++word) {
      each_of(word == home ? words_[word] & ~its : words_[word], word, act);
    }
  }

 private:
  static constexpr LinkIndex kWays = 2;
  static constexpr LinkIndex kLinks = 64 / kWays;  // In one word.

  static std::uint64_t bit(LinkIndex link, Way way) {
    return std::uint64_t{1} << (link % kLinks * kWays + static_cast<LinkIndex>(way));
  }
  template <class Act>
  static void each_of(std::uint64_t bits, std::size_t word, Act act) {
    for (; bits != 0; bits &= bits - 1) {
      const auto place = static_cast<LinkIndex>(std::countr_zero(bits));
      act(static_cast<LinkIndex>(word) * kLinks + place / kWays, Way{place % kWays != 0});
    }
  }

  std::vector<std::uint64_t> words_;
};

}  // namespace lockstep::fakezk
