#pragma once

#include <bitset>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "lockstep/search/program.h"

namespace lockstep::program {

// `lockstep run --hunt` starts the hunted program with a preloaded library (LD_PRELOAD), which
// calls run_target() instead of main(). This variable holds the words of the command line. They may
// hold any bytes but zero: each is followed by a line break, and one within a word, as a backslash,
// is preceded by a backslash.
inline constexpr const char* kRunWords = "LOCKSTEP_RUN";

// The settings of a program's hunt.
struct TargetSettings {
  std::uint32_t copies = 1;
  std::string lock_path;      // The znode of the mutex that the program takes; empty for none.
  bool shows_output = false;  // Show its output on standard error.
  // The exit statuses that break nothing.
  std::bitset<256> allowed{1};
};
using RunTarget = std::function<std::unique_ptr<search::Program>(const TargetSettings& settings)>;

// Hunts or replays the program in this process, and returns the exit status. `words` is the value
// of kRunWords.
int run_target(const std::string& words, const RunTarget& target);

}  // namespace lockstep::program
