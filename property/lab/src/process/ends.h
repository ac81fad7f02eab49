#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/fakezk/world.h"
#include "lockstep/search/trials.h"

namespace lockstep::lab {

// The end of a process by code under test: the thread, what it did, and in which execution.
struct EndReport {
  std::string_view who;
  std::string_view what;
  std::uint32_t step;
  std::uint64_t execution;  // search::kNoExecution if not searched.
  const std::vector<fakezk::Deviation>& deviations;
};
// That end, as another process reads it.
struct End {
  std::string what;  // "the program under test has aborted"
  std::uint32_t step = 0;
  std::uint64_t execution = 0;
  std::vector<fakezk::Deviation> deviations;
};

// Writes an end to a pipe without allocating, for signal handlers. Returns false on failure.
bool write_end(int file, const EndReport& end) noexcept;
// Reads an end, at most once; none if the writers have closed the pipe without writing one.
[[nodiscard]] std::optional<End> read_end(int file);

// An execution in another process: its result, or the end of that process.
struct ReportedTrial {
  search::Trial trial;  // After an end: with the violation "crash".
  bool ended_process = false;
  std::uint64_t execution = 0;        // After an end: End::execution.
  std::vector<std::uint32_t> events;  // How often each source had an event, if that was counted.
};
// Returns false if it cannot be written.
bool write_trial(int file, const search::Trial& trial,
                 const std::vector<std::uint32_t>& events = {});
// Reads what write_trial or write_end has written; none if the writers have closed the pipe.
[[nodiscard]] std::optional<ReportedTrial> read_trial(int file);

// An execution that another process is to run: its number in a search, or its choices.
struct Order {
  std::uint64_t execution = 0;
  std::vector<fakezk::Deviation> deviations = {};
  bool notes_detours = false;
  std::vector<search::Detour> detours = {};  // Only with notes_detours.
};
bool write_order(int file, const Order& order);
// Returns none if the writers have closed the pipe.
[[nodiscard]] std::optional<Order> read_order(int file);

}  // namespace lockstep::lab
