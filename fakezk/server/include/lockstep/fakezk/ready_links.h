#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lockstep/fakezk/watch_table.h"

namespace lockstep::fakezk {

// The events that links allow now: two bits per link, updated when a message is sent or taken.
// Every step of every execution searches for set bits, of which there are few.
class ReadyLinks {
 public:
  enum class Way : std::uint8_t { kDeliver, kApply };
  // The position of a link's bits, computed once for frequent queries.
  class Place {
   public:
    explicit Place(LinkIndex link)
        : deliver_(std::uint64_t{1} << (link % kLinks * kWays)), word_(link / kLinks) {}

   private:
    friend class ReadyLinks;
    [[nodiscard]] std::uint64_t bit(Way way) const { return deliver_ << static_cast<int>(way); }
    [[nodiscard]] std::uint64_t both() const { return bit(Way::kDeliver) | bit(Way::kApply); }

    std::uint64_t deliver_;  // the next bit is that of kApply
    LinkIndex word_;
  };

  // Sets the number of links; new ones are not ready.
  void resize(LinkIndex links) { words_.resize(words_for(links)); }
  // The same; no link is ready.
  void clear(LinkIndex links) { words_.assign(words_for(links), 0); }
  void set(Place place, Way way) { words_[place.word_] |= place.bit(way); }
  void clear(Place place, Way way) { words_[place.word_] &= ~place.bit(way); }
  void set(Place place, Way way, bool ready) { ready ? set(place, way) : clear(place, way); }

  [[nodiscard]] bool is(Place place, Way way) const {
    return (words_[place.word_] & place.bit(way)) != 0;
  }
  // Calls act(link, way) for every set bit: in the order of links, except that one link comes
  // first. Within a link, delivery comes first.
  template <class Act>
  [[gnu::always_inline]] void each(LinkIndex first, Act act) const {
    const Place home(first);
    const auto words = static_cast<LinkIndex>(words_.size());
    if (home.word_ >= words) return each_between(0, words, act);
    const std::uint64_t here = words_[home.word_];
    each_of(here & home.both(), home.word_, act);
    each_between(0, home.word_, act);
    each_of(here & ~home.both(), home.word_, act);
    each_between(home.word_ + 1, words, act);
  }

 private:
  static constexpr LinkIndex kWays = 2;
  static constexpr LinkIndex kLinks = 64 / kWays;  // In one word.

  static std::size_t words_for(LinkIndex links) {
    return (std::size_t{links} + kLinks - 1) / kLinks;
  }
  template <class Act>
  void each_between(LinkIndex word, LinkIndex end, Act& act) const {
    for (; word < end; ++word) each_of(words_[word], word, act);
  }
  template <class Act>
  static void each_of(std::uint64_t bits, LinkIndex word, Act& act) {
    for (; bits != 0; bits &= bits - 1) {
      const auto place = static_cast<LinkIndex>(std::countr_zero(bits));
      act(word * kLinks + place / kWays, Way{place % kWays != 0});
    }
  }

  std::vector<std::uint64_t> words_;
};

}  // namespace lockstep::fakezk
