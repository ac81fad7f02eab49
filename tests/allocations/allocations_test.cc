// A program of its own, because it replaces the heap's operators.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <string>

#include "lockstep/fakezk/explore/hunt.h"
#include "scenarios/registry.h"

namespace {

// By this thread: a watchdog has one of its own.
constinit thread_local std::size_t allocations = 0;

void* allocate(std::size_t size) {
  ++allocations;
  void* const memory = std::malloc(size);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace lockstep::fakezk {
namespace {

constexpr std::uint64_t kSeed = 1;
// Until every queue and list has been as long as it gets, and every kind of frame been made.
constexpr std::uint64_t kWarmUp = 3000;
constexpr std::uint64_t kMeasured = 1000;

class AllocationsTest : public testing::TestWithParam<StrategyName> {};

TEST_P(AllocationsTest, AnExecutionAllocatesNothingInTheSteadyState) {
  const scenarios::Scenario* const scenario = scenarios::find("fair-mutex");
  Searcher searcher(scenario->make({.clients = 3, .rounds = 1}), GetParam().make(),
                    ExecutionLimits(), kSeed);
  for (std::uint64_t i = 0; i < kWarmUp; ++i) static_cast<void>(searcher.run(i));
  ASSERT_GT(allocations, 0U) << "nothing is counted";
  const std::size_t before = allocations;
  for (std::uint64_t i = kWarmUp; i < kWarmUp + kMeasured; ++i) {
    const Outcome outcome = searcher.run(i);
    ASSERT_FALSE(outcome.violation);
  }
  EXPECT_EQ(allocations - before, 0U);
}

std::string name_of(const testing::TestParamInfo<StrategyName>& strategy) {
  return std::string(strategy.param.name);
}

INSTANTIATE_TEST_SUITE_P(Strategies, AllocationsTest,
                         testing::ValuesIn(strategies().begin(), strategies().end()), name_of);

}  // namespace
}  // namespace lockstep::fakezk
