#include "lockstep/search/strategy.h"

namespace lockstep::search {

namespace {

// Probabilistic concurrency testing (S. Burckhardt et al., "A randomized scheduler with
// probabilistic guarantees of finding bugs", ASPLOS 2010): every source has a random priority and
// the highest goes first. There are d - 1 change points, each at a random position and with its own
// priority below all initial ones: the source that reaches one gets its priority. The priorities of
// change points do not follow their positions: a bug may need the source that is lowered last to go
// on before another that was lowered earlier. Bugs of depth d are found with probability at least 1
// / (n k^(d-1)). Here d is drawn from 2, 3 and 5.
class Pct final : public RandomOrder<Pct> {
 public:
  void begin_events(const ExecutionStart& start) override {
    static constexpr std::array<std::uint32_t, 3> kDepths = {2, 3, 5};
    const std::uint32_t depth = kDepths[random().below(kDepths.size())];
    changes_.clear();
    for (std::uint32_t i = 1; i < depth; ++i) {
      changes_.push_back(random().below(start.calm_positions + 1));
    }
    key_ = random().next();
    position_ = 0;
    lowered_.clear();
  }

  std::uint32_t choose(std::span<const fakezk::Event> events) {
    return least(events, [this](const fakezk::Event& event) { return ~priority(event); });
  }

  void happens(const fakezk::Event& event) {
    const std::uint32_t now = position_++;
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      if (changes_[i] == now) lowered_.push_back({source_of(event), i});
    }
  }

 private:
  // A source that has met several change points has the priority of the last.
  [[nodiscard]] std::uint64_t priority(const fakezk::Event& event) const {
    const std::uint32_t source = source_of(event);
    for (std::size_t i = lowered_.size(); i > 0; --i) {
      if (lowered_[i - 1].source == source) return lowered_[i - 1].priority;
    }
    return fakezk::mix(key_ + source) | kStanding;
  }

  struct Lowered {
    std::uint32_t source;
    std::uint64_t priority;
  };
  static constexpr std::uint64_t kStanding = std::uint64_t{1} << 63;
  std::vector<std::uint32_t> changes_;  // Their positions, by priority.
  std::vector<Lowered> lowered_;
  std::uint64_t key_ = 0;
  std::uint32_t position_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_pct() { return std::make_unique<Pct>(); }

}  // namespace lockstep::search
