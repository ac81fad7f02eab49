// hunt_hash SCENARIO EXECUTIONS SEED CLIENTS STRATEGY JOBS FAULTS: prints the trace hash of such a
// hunt, equal to that of `lockstep hunt`. For builds that do not need the whole program, such as a
// sanitizer's.
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>

#include "lockstep/lab/hunt.h"
#include "scenarios/registry.h"

namespace lockstep {
namespace {

constexpr int kBadInput = 2;

int print_hash(std::span<char* const> words) {
  const scenarios::Scenario* const scenario = scenarios::find(words[0]);
  if (!scenario) throw std::invalid_argument(std::string("there is no scenario ") + words[0]);
  lab::HuntSettings settings{
      .size = {static_cast<std::uint32_t>(std::stoul(words[3])), scenario->size.rounds},
      .faults = lab::faults_called(words[6], lab::HuntSettings::kUsualFaults),
      .executions = std::stoull(words[1]),
      .seed = std::stoull(words[2]),
      .strategy = words[4],
      .jobs = static_cast<std::uint32_t>(std::stoul(words[5]))};
  const lab::HuntReport report = hunt_lock(scenario->lock(), settings);
  std::cout << std::hex << std::setfill('0') << std::setw(16) << report.trace_hash << '\n';
  return 0;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  constexpr int kWords = 8;
  if (argc != kWords) {
    std::cerr << "hunt_hash: SCENARIO EXECUTIONS SEED CLIENTS STRATEGY JOBS FAULTS\n";
    return lockstep::kBadInput;
  }
  try {
    return lockstep::print_hash(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  } catch (const std::exception& wrong) {
    std::cerr << "hunt_hash: " << wrong.what() << '\n';
    return lockstep::kBadInput;
  }
}
