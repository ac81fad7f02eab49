// The fake against a real server: random programs must have the same results on both.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <sstream>
#include <string>

#include "differential/check.h"
#include "differential/program_text.h"

namespace lockstep::differential {
namespace {

using Clock = std::chrono::steady_clock;

// All tests share one server.
Rig& real() {
  static const std::unique_ptr<Rig> rig = make_zookeeper_rig();
  return *rig;
}

Rig& fake() {
  static const std::unique_ptr<Rig> rig = make_fake_rig();
  return *rig;
}

std::optional<std::uint64_t> number_from_environment(const char* name) {
  const char* const text = std::getenv(name);
  if (!text) return std::nullopt;
  return std::stoull(text, nullptr, 0);
}

// The amount of work: LOCKSTEP_DIFFERENTIAL_PROGRAMS if set; otherwise a number of programs within
// a time limit. A budget that grows has a third of a long run's minutes instead.
class Budget {
 public:
  Budget(std::uint64_t programs, bool grows) : programs_(programs) {
    const auto minutes = number_from_environment("LOCKSTEP_LONG_MINUTES");
    if (minutes && grows) {
      programs_ = UINT64_MAX;
      end_ = Clock::now() + std::chrono::seconds(*minutes * 20);
    }
    if (const auto given = number_from_environment("LOCKSTEP_DIFFERENTIAL_PROGRAMS")) {
      programs_ = *given;
      end_ = Clock::time_point::max();
    }
  }
  [[nodiscard]] bool allows(std::uint64_t programs) const {
    return programs < programs_ && Clock::now() < end_;
  }

 private:
  std::uint64_t programs_;
  Clock::time_point end_ = Clock::now() + std::chrono::seconds(200);
};

std::uint64_t first_seed() {
  if (const auto given = number_from_environment("LOCKSTEP_DIFFERENTIAL_SEED")) return *given;
  std::random_device device;
  const std::uint64_t high = device();
  return high << 32 | device();
}

// Runs random programs until the budget is used up, or the sides differ.
void compare(const Sides& sides, const Budget& budget) {
  std::uint64_t seed = first_seed();
  std::cout << "LOCKSTEP_DIFFERENTIAL_SEED=" << seed << std::endl;
  const auto start = Clock::now();
  std::uint64_t programs = 0;
  for (; budget.allows(programs); ++programs, seed = seed_after(seed)) {
    const std::optional<Finding> finding = check_one(sides, seed);
    if (!finding) continue;
    FAIL() << "after " << programs << " programs the sides differ on this one:\n\n"
           << format(finding->program) << '\n'
           << finding->report
           << "\nAgain: LOCKSTEP_DIFFERENTIAL_PROGRAMS=1 LOCKSTEP_DIFFERENTIAL_SEED=" << seed;
  }
  const std::chrono::duration<double> elapsed = Clock::now() - start;
  std::cout << programs << " programs in " << elapsed.count() << " s" << std::endl;
}

TEST(DifferentialTest, TheFakeBehavesLikeTheServer) {
  compare(Sides(fake(), real()), Budget(2000, true));
}

// If the server itself varied, a difference would prove nothing about the fake.
TEST(DifferentialTest, TheServerBehavesTheSameTwice) {
  const std::unique_ptr<Rig> other = make_zookeeper_rig();
  compare(Sides(*other, real()), Budget(100, false));
}

// Programs on which the sides once differed, and some that cover the language.
TEST(DifferentialTest, KnownProgramsBehaveTheSame) {
  int programs = 0;
  for (const auto& file : std::filesystem::directory_iterator(LOCKSTEP_PROGRAMS)) {
    std::ostringstream text;
    text << std::ifstream(file.path()).rdbuf();
    const std::string report = Sides(fake(), real()).compare(parse_program(text.str()));
    EXPECT_TRUE(report.empty()) << file.path().filename() << ":\n" << text.str() << '\n' << report;
    ++programs;
  }
  EXPECT_GT(programs, 0);
}

}  // namespace
}  // namespace lockstep::differential
