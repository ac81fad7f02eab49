#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::program {

// One figure of a suite of `lockstep bench`.
struct Figure {
  std::string name;
  double value;
  std::string_view unit;
};
using Figures = std::vector<Figure>;

// How the suites measure.
struct BenchSettings {
  double seconds = 2;  // Measures each figure this long, except exhaustive searches.
  // For the suite explorer: the names of the figures to measure; if empty, all.
  std::vector<std::string> figures;
  // Exhaustive searches show their progress on stderr, if that is a terminal.
  bool shows_progress = false;
  // For the suite real: the connection string of the servers. If empty, the suite starts a server,
  // whose transaction log is forced to the disk if `force_sync` is set.
  std::string zookeeper;
  bool force_sync = false;
  std::size_t contenders = 10;  // The length of the suite real's queues.
};
// Gets each figure when it has been measured.
using TakeFigure = std::function<void(const Figure&)>;
using Measure = void (*)(const BenchSettings& settings, const TakeFigure& take);

// A figure of the suite explorer, which can be measured alone.
struct ExplorerFigure {
  std::string_view name;
  std::string_view unit;
  double (*measure)(const BenchSettings& settings);
};
using ExplorerFigures = std::vector<ExplorerFigure>;
inline constexpr std::string_view kExecutionsPerSecond = "executions/s";

// Those of the laboratory, in seconds of the processor. The others are ZooKeeper's C client's.
[[nodiscard]] ExplorerFigures search_figures();

// Throws, with this message, unless `holds`: a figure of broken code is worthless.
void expect(bool holds, const char* what);

// The middle value; of an even number, the upper of the two in the middle.
[[nodiscard]] double median(std::vector<double> values);

// The lower bound of every search's cost: executions per second of the processor, of three
// contenders, one round each, of FairMutex on a session that answers at once. Nothing is simulated,
// scheduled, recorded or judged: this is the recipe's share of a search, and the laboratory adds
// the rest.
[[nodiscard]] double recipe_alone(double seconds);

// Figures of the fake with 10 000 waiters on one lock, and with 100 000 locks held at once:
//   waiter_bytes        memory per waiter, without the simulated server's share
//   handoff_N_waiters   from a release until the next grant, with N other waiters
//   handoff_requests_N_waiters, handoff_wakes_N_waiters
//                       the most requests that one handoff sends, and how many waiters it wakes
//   handoff_flatness    the time with 10 000 divided by that with 10: only the list grows
//   list_N_waiters      the one list of N names that is part of a handoff, by itself
//   locks_100000        acquiring and releasing one of them
//   lock_bytes          memory per held lock, without the server's share
// Measures some of them for about `seconds`, and needs more seconds to queue up.
[[nodiscard]] Figures scale(double seconds);

}  // namespace lockstep::program
