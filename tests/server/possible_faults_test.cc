#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/fakezk/chooser.h"
#include "lockstep/fakezk/world.h"
#include "support/by_hand.h"

namespace lockstep::fakezk {
namespace {

using namespace unit;

// Reads the faults of each kind, then all of them.
class KindReader final : public Chooser {
 public:
  explicit KindReader(FaultKind first) : first_(first) {}
  Choice next(const Menu& menu) override {
    const FaultKinds possible = menu.possible_faults().among(kEveryFaultKind);
    const auto one = menu.possible_faults().list_up_to(first_);
    const std::vector<Event> beginning(one.begin(), one.end());
    const std::span<const Event> all = menu.faults();
    EXPECT_TRUE(std::ranges::equal(all.first(beginning.size()), beginning));
    FaultKinds listed = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      listed |= bit(all[i].fault);
      EXPECT_TRUE(all[i].fault != first_ || i < beginning.size());
    }
    EXPECT_EQ(possible, listed);
    EXPECT_EQ(menu.possible_faults().among(bit(first_)), listed & bit(first_));
    EXPECT_TRUE(std::ranges::equal(menu.possible_faults().list_up_to(first_), all));
    seen |= listed;
    return Choice{};
  }
  std::uint32_t number(std::uint32_t) override { return 0; }

  FaultKinds seen = 0;

 private:
  FaultKind first_;
};

TEST(PossibleFaultsTest, DoNotDependOnHowFarTheyAreListed) {
  for (std::size_t kind = 0; kind < kFaultKinds; ++kind) {
    SCOPED_TRACE(name(static_cast<FaultKind>(kind)));
    ServerOptions options{.replicas = 2};
    Simulation simulation(options);
    const auto a = simulation.open("A");
    const auto b = simulation.open("B");
    // A parent without children, which can be reaped and whose counter can be advanced.
    must(simulation.run(create(*a, "/c", Data(), CreateMode::kContainer)), "create");
    must(simulation.run(create(*a, "/c/x", Data(), CreateMode::kEphemeral)), "create");
    must(simulation.run(remove(*a, "/c/x")), "remove");
    must(simulation.run(create(*a, "/e", Data(), CreateMode::kEphemeral)), "create");
    simulation.settle();
    FaultPlan every = FaultPlan::all(9);
    every.allow(FaultKind::kForgottenWrites);
    simulation.world().set_faults(every);
    simulation.world().process(0).tasks().spawn(ignore(create(*a, "/a")));
    simulation.start(ignore(sync(*b, "/", simulation.now() + 1s)));
    KindReader reader(static_cast<FaultKind>(kind));
    for (int step = 0; step < 4; ++step) simulation.world().step(reader);
    // All but a crash, after which the process would not be started again.
    EXPECT_EQ(reader.seen, kEveryFaultKind & ~bit(FaultKind::kCrash));
  }
}

}  // namespace
}  // namespace lockstep::fakezk
