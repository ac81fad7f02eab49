#include "lockstep/search/strategy.h"

namespace lockstep::search {

namespace {

// Chooses uniformly among the enabled events: a baseline that is hard to beat on easy bugs (P.
// Thomson, A. Donaldson, A. Betts, "Concurrency testing using controlled schedulers", 2016).
class RandomWalk final : public RandomOrder<RandomWalk> {
 public:
  void begin_events(const ExecutionStart&) override {}
  std::uint32_t choose(std::span<const fakezk::Event> events) {
    return random().below(static_cast<std::uint32_t>(events.size()));
  }
};

}  // namespace

std::unique_ptr<Strategy> make_random_walk() { return std::make_unique<RandomWalk>(); }

}  // namespace lockstep::search
