#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "lockstep/lab/hunt.h"

namespace lockstep::lab {

namespace {

// Leaves `into` unchanged if the variable is unset or empty.
template <class Number>
bool read_variable(const char* variable, Number least, Number& into) {
  const char* const value = std::getenv(variable);
  if (!value || *value == '\0') return false;
  const char* const end = value + std::strlen(value);
  Number number{};
  const auto [stopped, error] = std::from_chars(value, end, number);
  // from_chars accepts "nan" and "inf".
  const bool finite = std::isfinite(static_cast<double>(number));
  if (error != std::errc() || stopped != end || !finite || number < least) {
    throw std::invalid_argument(std::string(variable) + " is not a valid number: '" + value + "'");
  }
  into = number;
  return true;
}

void read_word(const char* variable, std::string& into) {
  const char* const value = std::getenv(variable);
  if (value && *value != '\0') into = value;
}

void read_faults(fakezk::FaultPlan& into) {
  constexpr std::uint64_t kMost = HuntSettings::kMostFaults;
  std::string kinds;
  read_word("LOCKSTEP_FAULTS", kinds);
  if (!kinds.empty()) {
    const std::uint32_t total = into.total() > 0 ? into.total() : HuntSettings::kUsualFaults;
    try {
      into = faults_called(kinds, total);
    } catch (const std::invalid_argument& wrong) {
      throw std::invalid_argument(std::string("LOCKSTEP_FAULTS: ") + wrong.what());
    }
  }
  std::uint64_t budget = into.total();
  const bool counted = read_variable<std::uint64_t>("LOCKSTEP_FAULT_BUDGET", 0, budget);
  if (kinds.empty() && !counted) return;
  if (budget > kMost) {
    throw std::invalid_argument("LOCKSTEP_FAULT_BUDGET: at most " + std::to_string(kMost));
  }
  into.set_total(static_cast<std::uint32_t>(budget));
  if (!into.any()) into = fakezk::FaultPlan();  // the same plan as faults_called()
}

}  // namespace

HuntSettings HuntSettings::with_environment() const {
  constexpr double kShortestSeconds = 0.001;
  HuntSettings settings(*this);
  read_variable<std::uint64_t>("LOCKSTEP_SEED", 0, settings.seed);
  // The user wants this time used, whatever number of executions the test sets.
  if (read_variable("LOCKSTEP_SECONDS", kShortestSeconds, settings.seconds)) {
    settings.executions = kUnbounded;
  }
  std::uint64_t most = 0;
  if (read_variable<std::uint64_t>("LOCKSTEP_EXECUTIONS", 1, most)) settings.executions = most;
  std::uint64_t measure = settings.measure_coverage ? 1 : 0;
  read_variable<std::uint64_t>("LOCKSTEP_COVERAGE", 0, measure);
  if (measure > 1) throw std::invalid_argument("LOCKSTEP_COVERAGE is neither 0 nor 1");
  settings.measure_coverage = measure == 1;
  read_word("LOCKSTEP_STRATEGY", settings.strategy);
  read_word("LOCKSTEP_REDUCTION", settings.reduction);
  std::uint64_t threads = settings.jobs;
  if (read_variable<std::uint64_t>("LOCKSTEP_JOBS", 1, threads) && threads > kMostJobs) {
    throw std::invalid_argument("LOCKSTEP_JOBS: at most " + std::to_string(kMostJobs));
  }
  settings.jobs = static_cast<std::uint32_t>(threads);
  read_faults(settings.faults);
  return settings;
}

}  // namespace lockstep::lab
