#include "lockstep/search/shrink.h"

#include <algorithm>
#include <tuple>

namespace lockstep::search {

namespace {

class Shrinker {
 public:
  Shrinker(const TrySchedule& run, const TryDetours& run_detours, std::string oracle,
           const std::vector<fakezk::Deviation>& deviations, ShrinkBudget budget)
      : run_(run), run_detours_(run_detours), oracle_(std::move(oracle)), budget_(budget) {
    Trial first = run_(deviations);
    best_.outcome = std::move(first.outcome);
    best_.deviations = std::move(first.deviations);
    best_.executions = 1;
    best_.steps = best_.outcome.steps;
  }

  Shrunk run() {
    if (is_long()) cut_end();
    if (is_long() && is_short_of_budget() && note_detours()) {
      while (thin_out_detours()) {
      }
    }
    while (is_long() && thin_out()) {
    }
    bool smaller = true;
    while (smaller && !spent()) {
      smaller = drop_chunks();
      smaller = lower_choices() || smaller;
      smaller = move_earlier() || smaller;
      // There are many of these candidates: they are tried only when nothing else helps.
      smaller = smaller || drop_pairs() || drop_and_move();
    }
    return std::move(best_);
  }

 private:
  // The order of schedules by size, most important criterion first.
  using Size = std::tuple<std::size_t, std::size_t, std::uint32_t, std::uint64_t, std::uint64_t>;
  static Size size(const std::vector<fakezk::Deviation>& deviations, const Outcome& outcome) {
    std::size_t faults = 0;
    std::uint64_t choices = 0;
    std::uint64_t positions = 0;
    for (const fakezk::Deviation& deviation : deviations) {
      faults += deviation.choice.fault ? 1 : 0;
      choices += deviation.choice.index;
      positions += deviation.position;
    }
    return {deviations.size(), faults, outcome.steps, choices, positions};
  }

  [[nodiscard]] bool spent() const {
    return best_.executions >= budget_.executions || best_.steps >= budget_.steps;
  }

  // Accepts the candidate if it breaks the same guarantee, and if the schedule that really ran is
  // smaller.
  bool accept(const std::vector<fakezk::Deviation>& candidate) {
    return !spent() && accept_run(run_(candidate));
  }
  bool accept_detours(const std::vector<Detour>& candidate) {
    return !spent() && accept_run(run_detours_({}, candidate));
  }

  [[nodiscard]] bool breaks_the_same(const Trial& ran) const {
    return ran.outcome.violation && ran.outcome.violation->oracle == oracle_;
  }

  void spend(const Trial& ran) {
    ++best_.executions;
    best_.steps += ran.outcome.steps;
  }

  bool accept_run(Trial ran) {
    spend(ran);
    if (!breaks_the_same(ran)) return false;
    if (size(ran.deviations, ran.outcome) >= size(best_.deviations, best_.outcome)) return false;
    best_.deviations = std::move(ran.deviations);
    best_.outcome = std::move(ran.outcome);
    detours_ = std::move(ran.detours);
    return true;
  }

  // Every place and every shift of every chunk are too many candidates for a long schedule.
  [[nodiscard]] bool is_long() const { return best_.deviations.size() > kLong; }

  // With few executions for each deviation, detours lead further. With many, the variety of changes
  // that leaving out a position makes finds smaller schedules in the end.
  [[nodiscard]] bool is_short_of_budget() const {
    if (spent()) return true;
    const std::uint64_t by_steps =
        (budget_.steps - best_.steps) / std::max(best_.outcome.steps, 1U);
    const std::uint64_t executions =
        std::min<std::uint64_t>(budget_.executions - best_.executions, by_steps);
    return executions < kFewExecutions * best_.deviations.size();
  }

  // Cuts the deviations after those that lead to the violation: no other change leaves the rest
  // with exactly its meaning. Bisects, as if a longer beginning broke whatever a shorter one does.
  void cut_end() {
    std::size_t least = 0;
    while (least < best_.deviations.size() && !spent()) {
      const std::size_t middle = least + (best_.deviations.size() - least) / 2;
      const auto end = best_.deviations.begin() + static_cast<std::ptrdiff_t>(middle);
      if (!accept({best_.deviations.begin(), end})) least = middle + 1;
    }
  }

  // Drops chunks of a half, a quarter, ... of the deviations, each place once and the last one
  // first, because dropping one changes the meaning of all after it.
  bool thin_out() {
    bool smaller = false;
    for (std::size_t chunk = best_.deviations.size() / 2; chunk > 0; chunk /= 2) {
      std::size_t at = best_.deviations.size();
      while (at >= chunk && !spent()) {
        at -= chunk;
        if (accept(without(best_.deviations, at, chunk))) smaller = true;
        at = std::min(at, best_.deviations.size());
      }
    }
    return smaller;
  }

  // Runs the best schedule once more, for its detours.
  bool note_detours() {
    if (!run_detours_ || spent()) return false;
    Trial ran = run_detours_(best_.deviations, {});
    spend(ran);
    if (!breaks_the_same(ran)) return false;
    detours_ = std::move(ran.detours);
    return !detours_.empty();
  }

  // thin_out() with detours, of which the rest keeps its meaning: one that is left out lets an
  // event come sooner, and the others still wait for what they have waited for.
  bool thin_out_detours() {
    bool smaller = false;
    for (std::size_t chunk = detours_.size() / 2; chunk > 0; chunk /= 2) {
      std::size_t at = detours_.size();
      while (at >= chunk && !spent()) {
        at -= chunk;
        if (accept_detours(without(detours_, at, chunk))) smaller = true;
        at = std::min(at, detours_.size());
      }
    }
    return smaller;
  }

  template <class Entry>
  static std::vector<Entry> without(std::vector<Entry> rest, std::size_t at, std::size_t chunk) {
    const auto first = rest.begin() + static_cast<std::ptrdiff_t>(at);
    rest.erase(first, first + static_cast<std::ptrdiff_t>(chunk));
    return rest;
  }

  bool drop_chunks() {
    bool smaller = false;
    for (std::size_t chunk = best_.deviations.size(); chunk > 0; chunk /= 2) {
      for (std::size_t at = 0; at + chunk <= best_.deviations.size();) {
        if (drop(at, chunk)) {
          smaller = true;
        } else {
          ++at;
        }
      }
    }
    return smaller;
  }

  // Drops the deviations [at, at + chunk). The rest stays in place, or moves a little.
  bool drop(std::size_t at, std::size_t chunk) {
    const std::vector<fakezk::Deviation> rest = without(best_.deviations, at, chunk);
    if (accept(rest)) return true;
    for (std::int64_t shift = -kFarthest; shift <= kFarthest; ++shift) {
      if (shift != 0 && accept(shifted(rest, at, shift))) return true;
    }
    return false;
  }

  // Drops two at once, close pairs first: dropping either alone changes the meaning of the other.
  bool drop_pairs() {
    for (std::size_t apart = 1; apart < best_.deviations.size(); ++apart) {
      for (std::size_t at = 0; at + apart < best_.deviations.size(); ++at) {
        if (drop_pair(at, at + apart)) return true;
      }
    }
    return false;
  }

  bool drop_pair(std::size_t first, std::size_t second) {
    std::vector<fakezk::Deviation> rest = best_.deviations;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(second));
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(first));
    if (accept(rest)) return true;
    for (std::int64_t shift = -kFarthest; shift <= kFarthest; ++shift) {
      if (shift == 0) continue;
      if (accept(shifted(rest, first, shift)) || accept(shifted(rest, second - 1, shift))) {
        return true;
      }
    }
    return false;
  }

  // Drops one and moves another: the second may fit elsewhere once the first is gone.
  bool drop_and_move() {
    for (std::size_t at = 0; at < best_.deviations.size(); ++at) {
      std::vector<fakezk::Deviation> rest = best_.deviations;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at));
      for (std::size_t i = 0; i < rest.size(); ++i) {
        for (std::int64_t shift = -kFarthest; shift <= kFarthest; ++shift) {
          const std::vector<fakezk::Deviation> candidate = moved(rest, i, shift);
          if (shift != 0 && in_order(candidate) && accept(candidate)) return true;
        }
      }
    }
    return false;
  }

  bool lower_choices() {
    bool smaller = false;
    for (std::size_t i = 0; i < best_.deviations.size(); ++i) {
      const std::uint32_t index = best_.deviations[i].choice.index;
      for (std::uint32_t lower = 0; lower < index; ++lower) {
        std::vector<fakezk::Deviation> candidate = best_.deviations;
        candidate[i].choice.index = lower;
        if (!accept(candidate)) continue;
        smaller = true;
        break;
      }
    }
    return smaller;
  }

  bool move_earlier() {
    bool smaller = false;
    for (std::size_t i = 0; i < best_.deviations.size(); ++i) {
      for (std::int64_t shift = -kFarthest; shift <= kFarthest; ++shift) {
        if (i >= best_.deviations.size()) break;
        if (shift == 0) continue;
        const std::vector<fakezk::Deviation> alone = moved(best_.deviations, i, shift);
        if (in_order(alone) && accept(alone)) smaller = true;
        if (i < best_.deviations.size() && accept(shifted(best_.deviations, i, shift))) {
          smaller = true;
        }
      }
    }
    return smaller;
  }

  static std::vector<fakezk::Deviation> moved(std::vector<fakezk::Deviation> deviations,
                                              std::size_t at, std::int64_t shift) {
    const std::int64_t position = std::int64_t{deviations[at].position} + shift;
    deviations[at].position = static_cast<std::uint32_t>(std::max<std::int64_t>(0, position));
    return deviations;
  }

  // Moves all deviations from `at` on by `shift` positions.
  static std::vector<fakezk::Deviation> shifted(std::vector<fakezk::Deviation> deviations,
                                                std::size_t at, std::int64_t shift) {
    for (std::size_t i = at; i < deviations.size(); ++i) {
      const std::int64_t moved = std::int64_t{deviations[i].position} + shift;
      deviations[i].position = static_cast<std::uint32_t>(std::max<std::int64_t>(0, moved));
    }
    if (!in_order(deviations)) deviations.resize(at);
    return deviations;
  }

  static bool in_order(const std::vector<fakezk::Deviation>& deviations) {
    return std::ranges::adjacent_find(deviations, std::ranges::greater_equal{},
                                      &fakezk::Deviation::position) == deviations.end();
  }

  static constexpr std::int64_t kFarthest = 6;
  static constexpr std::size_t kLong = 40;
  static constexpr std::uint64_t kFewExecutions = 16;  // For each deviation.

  const TrySchedule& run_;
  const TryDetours& run_detours_;
  std::string oracle_;
  ShrinkBudget budget_;
  Shrunk best_;
  std::vector<Detour> detours_;  // The best schedule's, in thin_out_detours().
};

}  // namespace

Shrunk shrink(Program& program, const ExecutionLimits& limits, const std::string& oracle,
              const std::vector<fakezk::Deviation>& deviations, ShrinkBudget budget) {
  fakezk::World world(program.servers());
  const TrySchedule run = [&](const std::vector<fakezk::Deviation>& candidate) {
    Replay replay(candidate);
    Outcome outcome = execute(world, program, replay, limits);
    return Trial{std::move(outcome), world.deviations()};
  };
  const TryDetours run_detours = [&](const std::vector<fakezk::Deviation>& candidate,
                                     const std::vector<Detour>& detours) {
    return try_detours(world, program, limits, candidate, detours);
  };
  return shrink(run, oracle, deviations, budget, run_detours);
}

Shrunk shrink(const TrySchedule& run, const std::string& oracle,
              const std::vector<fakezk::Deviation>& deviations, ShrinkBudget budget,
              const TryDetours& run_detours) {
  return Shrinker(run, run_detours, oracle, deviations, budget).run();
}

}  // namespace lockstep::search
