#include "lockstep/search/strategy.h"

namespace lockstep::search {

namespace {

// Partial order sampling (X. Yuan, J. Yang, R. Gu, "Partial order aware concurrency sampling", CAV
// 2018): every event gets a random priority when it becomes enabled; the highest happens, and the
// events that race with it draw again. Requests race with each other at the server; deliveries race
// with nothing.
class Pos final : public RandomOrder<Pos> {
 public:
  void begin_events(const ExecutionStart& start) override {
    key_ = random().next();
    applied_ = 0;
    happened_.assign(start.calm_events.size(), 0);
  }

  std::uint32_t choose(std::span<const fakezk::Event> events) {
    return least(events, [this](const fakezk::Event& event) { return ~priority(event); });
  }

  void happens(const fakezk::Event& event) {
    const std::uint32_t source = source_of(event);
    if (source >= happened_.size()) happened_.resize(source + 1, 0);
    ++happened_[source];
    if (event.kind == fakezk::Event::Kind::kApply) ++applied_;
  }

 private:
  [[nodiscard]] std::uint64_t priority(const fakezk::Event& event) const {
    const std::uint32_t source = source_of(event);
    const std::uint64_t sequence = source < happened_.size() ? happened_[source] : 0;
    const std::uint64_t races = event.kind == fakezk::Event::Kind::kApply ? applied_ : 0;
    return fakezk::mix(key_ + source + (sequence << 16) + (races << 40));
  }

  std::uint64_t key_ = 0;
  std::uint64_t applied_ = 0;
  std::vector<std::uint32_t> happened_;
};

}  // namespace

std::unique_ptr<Strategy> make_pos() { return std::make_unique<Pos>(); }

}  // namespace lockstep::search
