#include "lockstep/search/shrink_scenario.h"

#include <algorithm>
#include <optional>

#include "lockstep/search/hunt.h"
#include "lockstep/search/strategy.h"

namespace lockstep::search {

namespace {

// Budget for one smaller scene: executions of the hunt in it, and of shrinking its schedule.
constexpr std::uint64_t kHunted = 500;
constexpr std::uint32_t kShrinking = 3'000;
// A scene with more holds than this, over all clients and rounds, is large.
constexpr std::uint32_t kLarge = 16;

// Repeats a schedule, with its faults identified by their contents: their indices mean something
// else once there are fewer kinds of them to choose from.
class SameFaults final : public fakezk::Chooser {
 public:
  SameFaults(const std::vector<fakezk::Deviation>& deviations,
             const std::vector<fakezk::Event>& faults)
      : replay_(deviations), faults_(faults) {}
  fakezk::Choice next(const fakezk::Menu& menu) override {
    fakezk::Choice choice = replay_.next(menu);
    if (!choice.fault || next_ == faults_.size()) return choice;
    const auto found = std::ranges::find(menu.faults(), faults_[next_++]);
    choice.index = static_cast<std::uint32_t>(found - menu.faults().begin());
    return choice;
  }
  std::uint32_t number(std::uint32_t options) override { return replay_.number(options); }

 private:
  Replay replay_;
  const std::vector<fakezk::Event>& faults_;
  std::size_t next_ = 0;
};

// Collects the faults of an execution in order.
class Faults final : public fakezk::Tracer {
 public:
  void step(const fakezk::Step& step) override {
    if (step.event.kind == fakezk::Event::Kind::kFault) faults.push_back(step.event);
  }
  void note(std::uint32_t, std::string_view) override {}
  std::vector<fakezk::Event> faults;
};

class SceneShrinker {
 public:
  SceneShrinker(const Scene& scene, const ExecutionLimits& limits, const std::string& oracle,
                ShrinkBudget budget)
      : scene_(scene), oracle_(oracle), budget_(budget) {
    best_.clients = scene.clients;
    best_.rounds = scene.rounds;
    best_.limits = limits;
  }

  ShrunkScene run(std::vector<fakezk::Deviation> deviations) {
    begin(std::move(deviations));
    const bool large = scene_.clients * scene_.rounds > kLarge;
    if (large && breaks(best_.schedule.outcome)) begin_in_a_small_one();
    const std::unique_ptr<Program> program = scene_.make(best_.clients, best_.rounds);
    best_.schedule = shrink(*program, best_.limits, oracle_, best_.schedule.deviations,
                            {budget_.executions / 2, budget_.steps / 2});
    spend(best_.schedule.executions, best_.schedule.steps);
    if (!breaks(best_.schedule.outcome)) return std::move(best_);
    while (best_.clients > scene_.least_clients && smaller(best_.clients - 1, best_.rounds)) {
    }
    while (best_.rounds > scene_.least_rounds && smaller(best_.clients, best_.rounds - 1)) {
    }
    fewer_faults();
    return std::move(best_);
  }

 private:
  [[nodiscard]] bool breaks(const Outcome& outcome) const {
    return outcome.violation && outcome.violation->oracle == oracle_;
  }

  void spend(std::uint32_t executions, std::uint64_t steps) {
    budget_.executions -= std::min(executions, budget_.executions);
    budget_.steps -= std::min(steps, budget_.steps);
  }
  const Outcome& counted(const Outcome& outcome) {
    spend(1, outcome.steps);
    return outcome;
  }

  static std::ptrdiff_t faults_in(const Shrunk& shrunk) {
    return std::ranges::count_if(shrunk.deviations, [](const fakezk::Deviation& deviation) {
      return deviation.choice.fault;
    });
  }

  void begin(std::vector<fakezk::Deviation> deviations) {
    const std::unique_ptr<Program> program = scene_.make(best_.clients, best_.rounds);
    best_.schedule = shrink(*program, best_.limits, oracle_, deviations, {.executions = 1});
    spend(1, best_.schedule.steps);
  }

  // Most violations of a large scene also show in a small one, at a hundredth of the price. Tries
  // sizes that double from the smallest on, for half of the budget.
  void begin_in_a_small_one() {
    const std::uint64_t rest = budget_.steps / 2;
    for (std::uint32_t rounds = 1; rounds <= best_.rounds; rounds *= 2) {
      for (std::uint32_t clients = 1; clients < best_.clients; clients *= 2) {
        if (budget_.steps <= rest || budget_.executions < kHunted + kShrinking) return;
        const std::optional<std::vector<fakezk::Deviation>> found = find_in(clients, rounds);
        if (!found) continue;
        best_.clients = clients;
        best_.rounds = rounds;
        return begin(*found);
      }
    }
  }

  bool smaller(std::uint32_t clients, std::uint32_t rounds) {
    if (budget_.steps == 0 || budget_.executions < kHunted + kShrinking) return false;
    const std::optional<std::vector<fakezk::Deviation>> found = find_in(clients, rounds);
    if (!found) return false;
    const std::unique_ptr<Program> program = scene_.make(clients, rounds);
    Shrunk shrunk =
        shrink(*program, best_.limits, oracle_, *found, {kShrinking, budget_.steps / 2});
    spend(shrunk.executions, shrunk.steps);
    if (shrunk.deviations.size() > best_.schedule.deviations.size()) return false;
    if (faults_in(shrunk) > faults_in(best_.schedule)) return false;
    best_.clients = clients;
    best_.rounds = rounds;
    best_.schedule = std::move(shrunk);
    return true;
  }

  std::optional<std::vector<fakezk::Deviation>> find_in(std::uint32_t clients,
                                                        std::uint32_t rounds) {
    const std::unique_ptr<Program> program = scene_.make(clients, rounds);
    fakezk::World world(program->servers());
    Replay same(best_.schedule.deviations);
    if (breaks(counted(execute(world, *program, same, best_.limits)))) return world.deviations();
    Searcher searcher(scene_.make(clients, rounds), make_portfolio(), best_.limits, kSeed);
    for (std::uint64_t i = 0; i < kHunted && budget_.steps > 0; ++i) {
      if (breaks(counted(searcher.run(i)))) return searcher.deviations();
    }
    return std::nullopt;
  }

  void fewer_faults() {
    const std::unique_ptr<Program> program = scene_.make(best_.clients, best_.rounds);
    fakezk::World world(program->servers());
    Faults struck;
    Replay same(best_.schedule.deviations);
    execute(world, *program, same, best_.limits, &struck);
    ExecutionLimits fewer = best_.limits;
    fewer.faults = fakezk::FaultPlan();
    for (const fakezk::Event& fault : struck.faults) fewer.faults.allow(fault.fault);
    fewer.faults.set_total(static_cast<std::uint32_t>(struck.faults.size()));
    SameFaults again(best_.schedule.deviations, struck.faults);
    Outcome outcome = execute(world, *program, again, fewer);
    if (!breaks(outcome) || world.deviations().size() > best_.schedule.deviations.size()) return;
    best_.limits = fewer;
    best_.schedule.deviations = world.deviations();
    best_.schedule.outcome = std::move(outcome);
  }

  static constexpr std::uint64_t kSeed = 1;

  const Scene& scene_;
  const std::string& oracle_;
  ShrinkBudget budget_;  // The remaining budget.
  ShrunkScene best_;
};

}  // namespace

ShrunkScene shrink_scene(const Scene& scene, const ExecutionLimits& limits,
                         const std::string& oracle, std::vector<fakezk::Deviation> deviations,
                         ShrinkBudget budget) {
  return SceneShrinker(scene, limits, oracle, budget).run(std::move(deviations));
}

}  // namespace lockstep::search
