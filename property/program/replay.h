#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "lockstep/lab/lock_under_test.h"
#include "scenarios/last_words.h"

namespace lockstep::program {

// The options of a replay.
struct ReplayOptions {
  std::string string;         // Or @FILE.
  std::uint32_t clients = 0;  // That the string must have, unless this is 0.
  std::optional<std::string> html;
  std::string_view replay_by = scenarios::kReplayBy;  // For last words.
  bool tolerant = false;
  bool json = false;
};

// Runs a recorded execution, and shows it as the options say. `find` returns the lock that a replay
// string names, or throws UsageError. `program` is this program's name in commands to copy. Returns
// the exit status.
int replay_and_show(const ReplayOptions& options, const std::string& program,
                    const std::function<lab::LockUnderTest(std::string_view name)>& find);

}  // namespace lockstep::program
