#include "lockstep/fakezk/explore/strategy.h"

namespace lockstep::fakezk {

namespace {

// Probabilistic concurrency testing (S. Burckhardt et al., "A randomized scheduler with
// probabilistic guarantees of finding bugs", ASPLOS 2010): every source has a random priority and
// the highest goes first; at d - 1 random positions the source that goes first falls behind all
// others. Bugs of depth d are found with probability at least 1 / (n k^(d-1)). Here d is drawn from
// 2, 3 and 5.
class Pct final : public RandomStrategy {
  void begin_events(const ExecutionStart& start) override {
    static constexpr std::array<std::uint32_t, 3> kDepths = {2, 3, 5};
    const std::uint32_t depth = kDepths[random().below(kDepths.size())];
    changes_.clear();
    for (std::uint32_t i = 1; i < depth; ++i) {
      changes_.push_back(random().below(start.calm_positions + 1));
    }
    key_ = random().next();
    position_ = 0;
    fallen_.clear();
  }

  std::uint32_t choose(std::span<const Event> events) override {
    return least(events, [this](const Event& event) { return ~priority(event); });
  }

  void happens(const Event& event) override {
    const std::uint32_t now = position_++;
    for (const std::uint32_t change : changes_) {
      if (change == now) fallen_.push_back(source_of(event));
    }
  }

  // The later a source has fallen, the lower it stands.
  [[nodiscard]] std::uint64_t priority(const Event& event) const {
    const std::uint32_t source = source_of(event);
    for (std::size_t i = fallen_.size(); i > 0; --i) {
      if (fallen_[i - 1] == source) return fallen_.size() - i;
    }
    return mix(key_ + source) | kStanding;
  }

  static constexpr std::uint64_t kStanding = std::uint64_t{1} << 63;
  std::vector<std::uint32_t> changes_;
  std::vector<std::uint32_t> fallen_;
  std::uint64_t key_ = 0;
  std::uint32_t position_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_pct() { return std::make_unique<Pct>(); }

}  // namespace lockstep::fakezk
