#include "lockstep/rapidcheck/hunt_settings.h"

#include <ostream>
#include <tuple>
#include <vector>

#include "lockstep/search/schedule.h"

namespace rc {

namespace {

using lockstep::fakezk::FaultKind;
using lockstep::fakezk::FaultPlan;
using lockstep::lab::HuntSettings;
using lockstep::lab::ScenarioSize;

constexpr std::uint64_t kExecutions = 300;
constexpr std::uint32_t kMostFaults = 3;

// The most times a kind may strike; shrinks to never. (gen::element would not shrink.)
Gen<std::uint32_t> caps() {
  return gen::map(gen::inRange(0u, 3u),
                  [](std::uint32_t most) { return most == 2 ? FaultPlan::kUnlimited : most; });
}

FaultPlan plan_of(std::uint32_t total, const std::vector<std::uint32_t>& most) {
  FaultPlan plan;
  for (std::size_t i = 0; i < most.size(); ++i) {
    const auto kind = static_cast<FaultKind>(i);
    if ((lockstep::fakezk::kAllFaultKinds & bit(kind)) != 0) plan.allow(kind, most[i]);
  }
  plan.set_total(total);
  return plan.any() ? plan : FaultPlan();
}

}  // namespace

Gen<ScenarioSize> Arbitrary<ScenarioSize>::arbitrary() {
  return gen::construct<ScenarioSize>(gen::inRange(2u, 5u), gen::inRange(1u, 4u));
}

Gen<FaultPlan> Arbitrary<FaultPlan>::arbitrary() {
  return gen::apply(
      &plan_of, gen::inRange(0u, kMostFaults + 1),
      gen::container<std::vector<std::uint32_t>>(lockstep::fakezk::kFaultKinds, caps()));
}

Gen<HuntSettings> Arbitrary<HuntSettings>::arbitrary() {
  return gen::apply(
      [](ScenarioSize size, FaultPlan faults, std::uint64_t seed) {
        return HuntSettings{
            .size = size, .faults = faults, .executions = kExecutions, .seed = seed};
      },
      gen::arbitrary<ScenarioSize>(), gen::arbitrary<FaultPlan>(),
      gen::noShrink(gen::arbitrary<std::uint64_t>()));
}

}  // namespace rc

namespace lockstep::fakezk {

void showValue(const FaultPlan& plan, std::ostream& stream) {
  stream << search::format_faults(plan);
}

}  // namespace lockstep::fakezk

namespace lockstep::lab {

void showValue(const ScenarioSize& size, std::ostream& stream) {
  stream << size.clients << " clients, " << size.rounds << " rounds";
}

void showValue(const HuntSettings& settings, std::ostream& stream) {
  showValue(settings.size, stream);
  stream << ", faults " << search::format_faults(settings.faults) << ", "
         << settings.most_executions() << " executions, seed " << settings.seed;
}

}  // namespace lockstep::lab
