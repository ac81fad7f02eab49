#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "lockstep/fake/hunt.h"

namespace lockstep::fake {

namespace {

// Leaves `into` as it is if the variable is not set, or empty.
template <class Number>
bool read_variable(const char* variable, Number least, Number& into) {
  const char* const value = std::getenv(variable);
  if (!value || *value == '\0') return false;
  const char* const end = value + std::strlen(value);
  Number number{};
  const auto [stopped, error] = std::from_chars(value, end, number);
  // "nan" and "inf" are numbers to from_chars.
  const bool finite = std::isfinite(static_cast<double>(number));
  if (error != std::errc() || stopped != end || !finite || number < least) {
    throw std::invalid_argument(std::string(variable) + " is no such number: '" + value + "'");
  }
  into = number;
  return true;
}

}  // namespace

HuntSettings HuntSettings::with_environment() const {
  constexpr double kShortestSeconds = 0.001;
  HuntSettings settings(*this);
  read_variable<std::uint64_t>("LOCKSTEP_SEED", 0, settings.seed);
  if (read_variable("LOCKSTEP_SECONDS", kShortestSeconds, settings.seconds)) {
    settings.executions = std::uint64_t{1} << 62;
  }
  read_variable<std::uint64_t>("LOCKSTEP_EXECUTIONS", 1, settings.executions);
  std::uint64_t measure = settings.measure_coverage ? 1 : 0;
  read_variable<std::uint64_t>("LOCKSTEP_COVERAGE", 0, measure);
  if (measure > 1) throw std::invalid_argument("LOCKSTEP_COVERAGE is neither 0 nor 1");
  settings.measure_coverage = measure == 1;
  return settings;
}

}  // namespace lockstep::fake
