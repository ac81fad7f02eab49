#include "lockstep/search/shrink_scenario.h"

#include <algorithm>
#include <optional>

#include "own_trials.h"

namespace lockstep::search {

namespace {

// Budget for one smaller scene: executions of the hunt in it, and of shrinking its schedule.
constexpr std::uint64_t kHunted = 500;
constexpr std::uint32_t kShrinking = 3'000;
// Budget for the last hunts in one scene, and how many of their finds are shrunk.
constexpr std::uint64_t kFresh = 2'000;
constexpr int kFinds = 4;
constexpr std::size_t kMoreDeviations = 2;
constexpr std::size_t kMany = 12;
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
    if (choice.fault) choice.index = next_in(menu, choice.index);
    return choice;
  }
  std::optional<std::uint32_t> last_fault(const fakezk::Menu& menu) override {
    const std::optional<std::uint32_t> fault = replay_.last_fault(menu);
    return fault ? std::optional(next_in(menu, *fault)) : std::nullopt;
  }
  std::uint32_t number(std::uint32_t options) override { return replay_.number(options); }

 private:
  // Where the next fault stands in this menu; after the last one, the index that was recorded.
  std::uint32_t next_in(const fakezk::Menu& menu, std::uint32_t recorded) {
    if (next_ == faults_.size()) return recorded;
    const auto found = std::ranges::find(menu.faults(), faults_[next_++]);
    return static_cast<std::uint32_t>(found - menu.faults().begin());
  }

  Replay replay_;
  const std::vector<fakezk::Event>& faults_;
  std::size_t next_ = 0;
};

class SceneShrinker {
 public:
  SceneShrinker(const Scene& scene, Trials& trials, const ExecutionLimits& limits,
                const std::string& oracle, ShrinkBudget budget)
      : scene_(scene), trials_(trials), oracle_(oracle), budget_(budget) {
    best_.clients = scene.clients;
    best_.rounds = scene.rounds;
    best_.limits = limits;
  }

  ShrunkScene run(const std::vector<fakezk::Deviation>& deviations) {
    begin(deviations);
    const bool large = scene_.clients * scene_.rounds > kLarge;
    if (large && breaks(best_.schedule.outcome)) begin_in_a_small_one();
    best_.schedule = shrunk_in(best_.clients, best_.rounds, best_.schedule.deviations,
                               {budget_.executions / 2, budget_.steps / 2});
    if (!breaks(best_.schedule.outcome)) return std::move(best_);
    while (best_.clients > scene_.least_clients && smaller(best_.clients - 1, best_.rounds)) {
    }
    while (best_.rounds > scene_.least_rounds && smaller(best_.clients, best_.rounds - 1)) {
    }
    fewer_faults();  // Leaves the hunts no other faults to try.
    hunt_shorter_ones();
    fewer_faults();
    return std::move(best_);
  }

 private:
  [[nodiscard]] bool breaks(const Outcome& outcome) const {
    return outcome.violation && outcome.violation->oracle == oracle_;
  }

  void spend(std::uint64_t executions, std::uint64_t steps) {
    budget_.executions -=
        static_cast<std::uint32_t>(std::min<std::uint64_t>(executions, budget_.executions));
    budget_.steps -= std::min(steps, budget_.steps);
  }
  [[nodiscard]] bool spent() const {
    return budget_.steps == 0 || budget_.executions < kHunted + kShrinking;
  }

  Shrunk shrunk_in(std::uint32_t clients, std::uint32_t rounds,
                   const std::vector<fakezk::Deviation>& deviations, ShrinkBudget budget) {
    const TrySchedule run = [&](const std::vector<fakezk::Deviation>& candidate) {
      return trials_.run(clients, rounds, best_.limits, candidate);
    };
    const TryDetours run_detours = [&](const std::vector<fakezk::Deviation>& candidate,
                                       const std::vector<Detour>& detours) {
      return trials_.run_detours(clients, rounds, best_.limits, candidate, detours);
    };
    Shrunk shrunk = shrink(run, oracle_, deviations, budget, run_detours);
    spend(shrunk.executions, shrunk.steps);
    return shrunk;
  }

  static std::ptrdiff_t faults_in(const Shrunk& shrunk) {
    return std::ranges::count_if(shrunk.deviations, [](const fakezk::Deviation& deviation) {
      return deviation.choice.fault;
    });
  }

  void begin(const std::vector<fakezk::Deviation>& deviations) {
    best_.schedule = shrunk_in(best_.clients, best_.rounds, deviations, {.executions = 1});
  }

  [[nodiscard]] bool breaks_by_default(std::uint32_t clients, std::uint32_t rounds) {
    const Trial trial = trials_.run(clients, rounds, best_.limits, {});
    spend(1, trial.outcome.steps);
    return breaks(trial.outcome);
  }

  // A scene may need all of its clients: a barrier for three waits forever with two, whatever the
  // schedule. That is another failure than one that takes deviations with all of them.
  [[nodiscard]] bool has_too_few(std::uint32_t clients, const Shrunk& shrunk) const {
    return clients < scene_.clients && shrunk.deviations.empty() &&
           !best_.schedule.deviations.empty();
  }

  // Most violations of a large scene also show in a small one, at a hundredth of the price. Tries
  // sizes that double from the least one on, for half of the budget.
  void begin_in_a_small_one() {
    const std::uint64_t rest = budget_.steps / 2;
    const bool by_default = breaks_by_default(best_.clients, best_.rounds);
    for (std::uint32_t rounds = scene_.least_rounds; rounds <= best_.rounds; rounds *= 2) {
      for (std::uint32_t clients = scene_.least_clients; clients < best_.clients; clients *= 2) {
        if (budget_.steps <= rest || spent()) return;
        const std::optional<std::vector<fakezk::Deviation>> found = find_in(clients, rounds);
        if (!found || (!by_default && breaks_by_default(clients, rounds))) continue;
        best_.clients = clients;
        best_.rounds = rounds;
        return begin(*found);
      }
    }
  }

  void take(std::uint32_t clients, std::uint32_t rounds, Shrunk shrunk) {
    best_.clients = clients;
    best_.rounds = rounds;
    best_.schedule = std::move(shrunk);
  }

  bool smaller(std::uint32_t clients, std::uint32_t rounds) {
    if (spent()) return false;
    const std::optional<std::vector<fakezk::Deviation>> found = find_in(clients, rounds);
    if (!found) return false;
    Shrunk shrunk = shrunk_in(clients, rounds, *found, {kShrinking, budget_.steps / 2});
    if (!breaks(shrunk.outcome)) return false;  // It did only once.
    if (has_too_few(clients, shrunk)) return false;
    if (shrunk.deviations.size() > best_.schedule.deviations.size()) return false;
    if (faults_in(shrunk) > faults_in(best_.schedule)) return false;
    take(clients, rounds, std::move(shrunk));
    return true;
  }

  std::optional<std::vector<fakezk::Deviation>> find_in(std::uint32_t clients,
                                                        std::uint32_t rounds) {
    Trial same = trials_.run(clients, rounds, best_.limits, best_.schedule.deviations);
    spend(1, same.outcome.steps);
    if (breaks(same.outcome)) return std::move(same.deviations);
    ShortHunt what;
    what.executions = kHunted;
    std::optional<Trial> caught = hunt(clients, rounds, what).trial;
    if (!caught) return std::nullopt;
    return std::move(caught->deviations);
  }

  Caught hunt(std::uint32_t clients, std::uint32_t rounds, ShortHunt what) {
    what.seed = kSeed;
    what.steps = budget_.steps;
    what.oracle = oracle_;
    Caught caught = trials_.hunt(clients, rounds, best_.limits, what);
    spend(caught.executions, caught.steps);
    return caught;
  }

  void hunt_shorter_ones() {
    const std::uint32_t most = best_.clients * best_.rounds;
    for (std::uint32_t holds = 1; holds <= most; ++holds) {
      for (std::uint32_t clients = holds; clients >= 1; --clients) {
        const std::uint32_t rounds = holds / clients;
        const bool within = clients <= best_.clients && rounds <= best_.rounds;
        const bool enough = clients >= scene_.least_clients && rounds >= scene_.least_rounds;
        if (clients * rounds != holds || !within || !enough) continue;
        if (hunt_shorter_ones_in(clients, rounds)) return;
      }
    }
  }

  // True if it has found a failure that is easier to read.
  bool hunt_shorter_ones_in(std::uint32_t clients, std::uint32_t rounds) {
    bool found = false;
    ShortHunt what;
    what.first = 1;
    for (int finds = 0; finds < kFinds && what.first < kFresh && !spent(); ++finds) {
      what.executions = kFresh - what.first;
      Caught caught = hunt(clients, rounds, what);
      if (!caught.trial) return found;
      what.first += caught.executions;
      Shrunk shrunk =
          shrunk_in(clients, rounds, caught.trial->deviations, {kShrinking, budget_.steps / 4});
      if (has_too_few(clients, shrunk) || !easier(shrunk, clients * rounds)) continue;
      take(clients, rounds, std::move(shrunk));
      found = true;
    }
    return found;
  }

  // Fewer steps are easier to read, unless they need more faults. A few deviations more are worth
  // half of the steps, and fewer holds. Where many deviations are left, half of them are worth a
  // quarter more steps.
  [[nodiscard]] bool easier(const Shrunk& shrunk, std::uint32_t holds) const {
    const Shrunk& best = best_.schedule;
    if (!breaks(shrunk.outcome) || faults_in(shrunk) > faults_in(best)) return false;
    const bool fewer_holds = holds < best_.clients * best_.rounds;
    const std::uint32_t steps = shrunk.outcome.steps;
    if (best.deviations.size() > kMany && shrunk.deviations.size() <= best.deviations.size() / 2 &&
        steps <= best.outcome.steps + best.outcome.steps / 4) {
      return true;
    }
    if (shrunk.deviations.size() <= best.deviations.size()) {
      const bool simpler = fewer_holds || shrunk.deviations.size() < best.deviations.size();
      return steps < best.outcome.steps || (steps == best.outcome.steps && simpler);
    }
    return fewer_holds && steps <= best.outcome.steps / 2 &&
           shrunk.deviations.size() <= best.deviations.size() + kMoreDeviations;
  }

  void fewer_faults() {
    const std::vector<fakezk::Event> struck =
        trials_.faults(best_.clients, best_.rounds, best_.limits, best_.schedule.deviations);
    if (struck.empty()) return no_faults();
    ExecutionLimits fewer = best_.limits;
    fewer.faults = fakezk::FaultPlan();
    for (const fakezk::Event& fault : struck) {
      fewer.faults.allow(fault.fault, best_.limits.faults.most(fault.fault));
    }
    fewer.faults.set_total(static_cast<std::uint32_t>(struck.size()));
    const std::unique_ptr<Program> program = scene_.make(best_.clients, best_.rounds);
    fakezk::World world(program->servers());
    SameFaults again(best_.schedule.deviations, struck);
    Outcome outcome = execute(world, *program, again, fewer);
    if (!breaks(outcome) || world.deviations().size() > best_.schedule.deviations.size()) return;
    best_.limits = fewer;
    best_.schedule.deviations = world.deviations();
    best_.schedule.outcome = std::move(outcome);
  }

  void no_faults() {
    if (faults_in(best_.schedule) > 0) return;  // The trials cannot name them.
    ExecutionLimits none = best_.limits;
    none.faults = fakezk::FaultPlan();
    Trial same = trials_.run(best_.clients, best_.rounds, none, best_.schedule.deviations);
    const bool more = same.deviations.size() > best_.schedule.deviations.size();
    if (!breaks(same.outcome) || more) return;
    best_.limits = none;
    best_.schedule.deviations = std::move(same.deviations);
    best_.schedule.outcome = std::move(same.outcome);
  }

  static constexpr std::uint64_t kSeed = 1;

  const Scene& scene_;
  Trials& trials_;
  const std::string& oracle_;
  ShrinkBudget budget_;  // The remaining budget.
  ShrunkScene best_;
};

}  // namespace

ShrunkScene shrink_scene(const Scene& scene, const ExecutionLimits& limits,
                         const std::string& oracle,
                         const std::vector<fakezk::Deviation>& deviations, ShrinkBudget budget) {
  OwnTrials own(scene.make);
  Trials& trials = scene.trials ? *scene.trials : own;
  return SceneShrinker(scene, trials, limits, oracle, budget).run(deviations);
}

}  // namespace lockstep::search
