#pragma once

#include <functional>
#include <string_view>
#include <vector>

namespace lockstep::program {

// One figure of a suite of `lockstep bench`.
struct Figure {
  std::string_view name;
  double value;
  std::string_view unit;
};
using Figures = std::vector<Figure>;

// Throws, and says what is wrong, unless it holds: what does not work is not measured.
void expect(bool holds, const char* what);

// The floor under every search: executions per second of three contenders, once each, of FairMutex
// on a session that answers at once. Nothing is simulated, scheduled, recorded or judged: what a
// search takes beyond this is the laboratory's, the rest is the recipe's.
[[nodiscard]] double recipe_alone(double seconds);

// How the fake does with 10 000 waiters on one lock, and with 100 000 locks that are held at once:
//   waiter_bytes        memory per waiter, without what the simulated server keeps of it
//   handoff_N_waiters   from a release until the next one holds; N others wait behind
//   handoff_requests_N_waiters, handoff_wakes_N_waiters
//                       the most that one asks of the server, and how many waiters it wakes
//   handoff_flatness    the time with 10 000 by that with 10: the list grows, nothing else does
//   list_N_waiters      the one list of N names that is part of a handoff, by itself
//   locks_100000        acquiring and releasing one of them
//   lock_bytes          memory per lock that is held, without the server's
// Measures some of them for about `seconds`, and needs seconds of its own to queue up.
[[nodiscard]] Figures scale(double seconds);

}  // namespace lockstep::program
