#include "progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>

#include "lockstep/lab/hunt.h"
#include "text.h"

namespace lockstep::program {

namespace {

constexpr std::chrono::milliseconds kBetweenLines{100};
constexpr const char* kClearLine = "\r\x1b[K";
constexpr double kMinute = 60;
constexpr double kHour = 60 * kMinute;

// "40 s", "12 min", "9 h 5 min".
std::string in_words(double seconds) {
  const auto whole = [](double number) { return static_cast<std::uint64_t>(number); };
  if (seconds < 2 * kMinute) return grouped(whole(std::ceil(seconds))) + " s";
  if (seconds < 2 * kHour) return grouped(whole(std::round(seconds / kMinute))) + " min";
  const double hours = std::floor(seconds / kHour);
  return grouped(whole(hours)) + " h " +
         grouped(whole(std::floor((seconds - hours * kHour) / kMinute))) + " min";
}

// "[####......]"
std::string bar(double share) {
  constexpr std::size_t kWidth = 20;
  const auto done = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * kWidth);
  return '[' + std::string(done, '#') + std::string(kWidth - done, '.') + ']';
}

// 0 if the terminal does not report a width.
std::size_t columns_of_error_output() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

Progress::Progress(bool wanted, std::uint64_t executions, double seconds)
    : shown_(wanted && isatty(STDERR_FILENO) == 1), executions_(executions), seconds_(seconds) {}

Progress::~Progress() {
  if (shown_) std::cerr << kClearLine << std::flush;
}

void Progress::update(std::uint64_t done) {
  if (!shown_) return;
  const auto now = Clock::now();
  if (now - last_ < kBetweenLines) return;
  last_ = now;
  const double gone = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(done) / gone;
  std::string line = counted(done, "execution") + ", " + grouped(static_cast<std::uint64_t>(rate)) +
                     " per second" + estimate();
  const double left =
      std::min(static_cast<double>(executions_ - done) / rate, std::max(0.0, seconds_ - gone));
  if (executions_ < lab::HuntSettings::kUnbounded || std::isfinite(seconds_)) {
    line = bar(gone / (gone + left)) + ' ' + line + ", " + in_words(left) + " left";
  }
  // A longer line would wrap, and could not be erased.
  if (const std::size_t columns = columns_of_error_output(); columns > 1) {
    line.resize(std::min(line.size(), columns - 1));
  }
  std::cerr << kClearLine + line << std::flush;
}

void Progress::update(const search::ExhaustiveEstimate& how_far) {
  if (!how_far_ || how_far_->fault_budget != how_far.fault_budget) {
    how_far_first_ = how_far;
    first_ = Clock::now();
  }
  how_far_ = how_far;
}

// Estimates the time for this fault budget only: the number of combinations of a larger one is not
// known yet.
std::string Progress::estimate() const {
  if (!how_far_) return "";
  const search::ExhaustiveEstimate& now = *how_far_;
  std::string text = ", fault budget " + std::to_string(now.fault_budget) + ": " +
                     grouped(now.finished) + " of " + counted(now.combinations, "combination") +
                     " with " + grouped(now.traces) + " of about " +
                     grouped(static_cast<std::uint64_t>(now.expected_traces)) + " traces";
  const double gone = std::chrono::duration<double>(Clock::now() - first_).count();
  const double traces = static_cast<double>(now.traces - how_far_first_.traces);
  if (traces == 0) return text;
  const double left = now.expected_traces - static_cast<double>(now.traces);
  return text + ", about " + in_words(left * gone / traces) + " of it left";
}

}  // namespace lockstep::program
