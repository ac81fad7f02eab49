#include "exhaustive/parts.h"

#include <algorithm>
#include <utility>

namespace lockstep::search {

namespace {

constexpr std::size_t kReordered = 1024;

void lower(std::atomic<std::size_t>& number, std::size_t to) {
  std::size_t known = number;
  while (to < known && !number.compare_exchange_weak(known, to)) {
  }
}

}  // namespace

void PartSearch::search(std::vector<Part>& parts, std::uint32_t deepest,
                        const WhenEnded& when_ended) {
  const std::vector<std::size_t> order = order_of(parts);
  std::atomic<std::size_t> next = 0;
  FirstEnd first_end = parts.size();
  workers_.each(static_cast<std::uint32_t>(stages_.size()), [&](std::uint32_t job) {
    for (std::size_t i = next++; i < order.size(); i = next++) {
      const std::size_t number = order[i];
      Part& part = parts[number];
      if (part.end || !goes_on(number, first_end)) continue;
      part.tally.deepest = deepest;
      const Exploration::End end =
          search(stages_[job], part, [&] { return goes_on(number, first_end); });
      if (end != Exploration::End::kExhausted) lower(first_end, number);
      const std::lock_guard one_at_a_time(telling_);
      part.end = end;
      when_ended(part);
    }
  });
}

// Several jobs begin with the largest parts, so that none has to wait for another at the end:
// faults on parents conflict with every step. Only the next few parts are put in this order,
// because the findings of a part stay in memory until all parts before it have ended.
std::vector<std::size_t> PartSearch::order_of(const std::vector<Part>& parts) const {
  const auto is_large = [&](std::size_t number) {
    return stages_.size() > 1 &&
           std::ranges::any_of(parts[number].faults.faults,
                               [](const Fault& fault) { return is_about_path(fault.key); });
  };
  std::vector<std::size_t> order;
  for (std::size_t begin = 0; begin < parts.size(); begin += kReordered) {
    const std::size_t end = std::min(parts.size(), begin + kReordered);
    for (const bool large : {true, false}) {
      for (std::size_t number = begin; number < end; ++number) {
        if (is_large(number) == large) order.push_back(number);
      }
    }
  }
  return order;
}

bool PartSearch::goes_on(std::size_t number, const FirstEnd& first_end) {
  if (stopped_ || number > first_end) return false;
  if (bounded() || (options_.keep_going && !options_.keep_going(executions_))) stopped_ = true;
  return !stopped_;
}

Exploration::End PartSearch::search(Stage& stage, Part& part,
                                    const std::function<bool()>& goes_on) {
  std::uint64_t counted = 0;
  const auto count = [&](std::uint64_t done) {
    executions_ += done - std::exchange(counted, done);
  };
  ExhaustiveOptions options = options_;
  options.executions -= executions_;
  options.keep_going = [&](std::uint64_t done) {
    count(done);
    return goes_on();
  };
  Exploration exploration(stage.world, stage.program, options, part.limits, part.faults,
                          part.tally);
  const Exploration::End end = exploration.run();
  count(part.tally.executions);
  part.others = exploration.faults_seen();
  if (end == Exploration::End::kExhausted) return end;
  part.found = exploration.found();
  part.dependence = exploration.dependence();
  return end;
}

}  // namespace lockstep::search
