#include "lockstep/search/strategy.h"

namespace lockstep::search {

namespace {

// Delay-bounded scheduling (M. Emmi, S. Qadeer, Z. Rakamaric, "Delay-bounded scheduling", POPL
// 2011): a deterministic scheduler, here the default one, has to skip its choice at a few random
// positions. Most bugs need one or two delays. A delayed source waits until nothing else can
// happen.
class Delay final : public RandomOrder<Delay> {
 public:
  void begin_events(const ExecutionStart& start) override {
    const std::uint32_t delays = 1 + random().below(kMostDelays);
    at_.clear();
    for (std::uint32_t i = 0; i < delays; ++i) {
      at_.push_back(random().below(start.calm_positions + 1));
    }
    delayed_.clear();
    position_ = 0;
  }

  std::uint32_t choose(std::span<const fakezk::Event> events) {
    for (const std::uint32_t at : at_) {
      if (at == position_) delayed_.push_back(source_of(events[first(events)]));
    }
    return first(events);
  }

  void happens(const fakezk::Event&) { ++position_; }

 private:
  // The first in default order that has not been delayed; if all have, the one delayed first.
  [[nodiscard]] std::uint32_t first(std::span<const fakezk::Event> events) const {
    if (delayed_.empty()) return 0;
    return least(events, [this](const fakezk::Event& event) { return rank(event); });
  }

  [[nodiscard]] std::size_t rank(const fakezk::Event& event) const {
    for (std::size_t i = delayed_.size(); i > 0; --i) {
      if (delayed_[i - 1] == source_of(event)) return i;
    }
    return 0;
  }

  static constexpr std::uint32_t kMostDelays = 3;
  std::vector<std::uint32_t> at_;
  std::vector<std::uint32_t> delayed_;
  std::uint32_t position_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_delay() { return std::make_unique<Delay>(); }

}  // namespace lockstep::search
