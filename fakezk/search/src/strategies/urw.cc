#include <algorithm>

#include "lockstep/search/strategy.h"

namespace lockstep::search {

namespace {

// Uniform random walk (H. Zhao et al., "Selectively uniform concurrency testing", ASPLOS 2025): a
// source is chosen with a probability proportional to the events it still has to come, which makes
// all interleavings equally likely, and one-step sources strike anywhere in the run instead of
// early. How many events a source has is taken from the calm execution.
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
    // No branch: where it lies, nobody can foretell.
    std::uint32_t index = 0;
    for (std::size_t i = 0; i < events.size(); ++i) index += std::uint32_t{at >= sums_[i]};
    return index;
  }

  void happens(const fakezk::Event& event) {
    const std::uint32_t source = source_of(event);
    if (source < left_.size() && left_[source] > 1) --left_[source];
  }

 private:
  // Never nothing: the calm execution is only an estimate.
  [[nodiscard]] std::uint32_t left(const fakezk::Event& event) const {
    const std::uint32_t source = source_of(event);
    return source < left_.size() ? left_[source] : 1;
  }

  std::vector<std::uint32_t> left_;
  std::vector<std::uint32_t> sums_;  // Of what is left of the events so far.
};

}  // namespace

std::unique_ptr<Strategy> make_urw() { return std::make_unique<Urw>(); }

}  // namespace lockstep::search
