#include "progress.h"

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

}  // namespace

Progress::Progress(bool wanted, std::uint64_t executions, double seconds)
    : shown_(wanted && isatty(STDERR_FILENO) == 1), executions_(executions), seconds_(seconds) {}

Progress::~Progress() {
  if (shown_) std::cerr << kClearLine << std::flush;
}

void Progress::update(std::uint64_t done) {
  if (!shown_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kBetweenLines) return;
  last_ = now;
  const double gone = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(done) / gone;
  std::string line =
      counted(done, "execution") + ", " + grouped(static_cast<std::uint64_t>(rate)) + " per second";
  const double left =
      std::min(static_cast<double>(executions_ - done) / rate, std::max(0.0, seconds_ - gone));
  if (executions_ < lab::HuntSettings::kUnbounded || std::isfinite(seconds_)) {
    line += ", " + grouped(static_cast<std::uint64_t>(std::ceil(left))) + " s left";
  }
  std::cerr << kClearLine + line << std::flush;
}

}  // namespace lockstep::program
