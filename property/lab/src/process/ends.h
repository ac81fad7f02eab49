#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/fakezk/world.h"
#include "lockstep/search/trials.h"

namespace lockstep::lab {

// How code under test ends its process: who has done what, and in which execution.
struct EndTold {
  std::string_view who;
  std::string_view what;
  std::uint32_t step;
  std::uint64_t execution;  // Or search::kNoExecution.
  const std::vector<fakezk::Deviation>& deviations;
};
// The same, as another process has read it.
struct End {
  std::string what;  // "the program under test has aborted"
  std::uint32_t step = 0;
  std::uint64_t execution = 0;
  std::vector<fakezk::Deviation> deviations;
};

// Writes an end to a pipe without allocating, for signal handlers. False if it cannot.
bool write_end(int file, const EndTold& end) noexcept;
// Reads it, at most once; none if the writers have closed the pipe without a word.
[[nodiscard]] std::optional<End> read_end(int file);

// An execution in another process: how it went, or how it has ended that process.
struct ToldTrial {
  search::Trial trial;  // Of an end: with the violation "crash".
  bool ended_process = false;
  std::uint64_t execution = 0;        // Of an end: End::execution.
  std::vector<std::uint32_t> events;  // How often each source had an event, if it was counted.
};
// False if it cannot be written.
bool write_trial(int file, const search::Trial& trial,
                 const std::vector<std::uint32_t>& events = {});
// Reads what write_trial or write_end has written; none if the writers have closed the pipe.
[[nodiscard]] std::optional<ToldTrial> read_trial(int file);

// An execution that another process is to run: its number in a search, or its choices.
struct Order {
  std::uint64_t execution = 0;
  std::vector<fakezk::Deviation> deviations;
};
bool write_order(int file, const Order& order);
// None if the writers have closed the pipe.
[[nodiscard]] std::optional<Order> read_order(int file);

}  // namespace lockstep::lab
