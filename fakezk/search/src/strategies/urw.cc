#include <algorithm>

#include "lockstep/search/strategy.h"

namespace lockstep::search {

namespace {

// Uniform random walk (H. Zhao et al., "Selectively uniform concurrency testing", ASPLOS 2025):
// chooses a source with a probability proportional to its remaining events. This makes all
// interleavings equally likely, and lets one-step sources strike anywhere in the run instead of
// early. The number of events per source is taken from the default execution.
class Urw final : public RandomOrder<Urw> {
 public:
  void begin_events(const ExecutionStart& start) override {
    left_.assign(start.calm_events.begin(), start.calm_events.end());
    for (std::uint32_t& left : left_) left = std::max(left, 1u);
  }

  std::uint32_t choose(std::span<const fakezk::Event> events) {
    if (sums_.size() < events.size()) sums_.resize(2 * events.size());
    std::uint32_t all = 0;
    for (std::size_t i = 0; i < events.size(); ++i) sums_[i] = all += left(events[i]);
    const std::uint32_t at = random().below(all);
    // Branch-free: the position is random, so a branch would be mispredicted.
    std::uint32_t index = 0;
    for (std::size_t i = 0; i < events.size(); ++i) index += std::uint32_t{at >= sums_[i]};
    return index;
  }

  void happens(const fakezk::Event& event) {
    const std::uint32_t source = source_of(event);
    if (source < left_.size() && left_[source] > 1) --left_[source];
  }

 private:
  // Never 0: the default execution is only an estimate.
  [[nodiscard]] std::uint32_t left(const fakezk::Event& event) const {
    const std::uint32_t source = source_of(event);
    return source < left_.size() ? left_[source] : 1;
  }

  std::vector<std::uint32_t> left_;
  std::vector<std::uint32_t> sums_;  // Running sums of the remaining events.
};

}  // namespace

std::unique_ptr<Strategy> make_urw() { return std::make_unique<Urw>(); }

}  // namespace lockstep::search
