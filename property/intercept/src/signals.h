#pragma once

#include <signal.h>

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/intercept/execution.h"
#include "lockstep/intercept/thread.h"

namespace lockstep::intercept {

// The handlers that each process of an execution has set for signals, and the signals that each of
// its threads blocks. Signals that mean a crash have the system's handlers, because the system
// sends them, too.
class Signals {
 public:
  Signals();
  // `root` is the first thread of a process. Returns SIG_DFL if that process has set nothing.
  [[nodiscard]] struct sigaction action(const Thread& root, int signal) const;
  void set(const Thread& root, int signal, const struct sigaction& action);
  // A thread begins with the blocked signals of its creator; a process begins with none.
  void begin(const Thread& thread);
  [[nodiscard]] sigset_t& blocked(const Thread& thread) { return blocked_[thread.number()]; }

 private:
  using Key = std::pair<std::uint32_t, int>;
  [[nodiscard]] static Key key(const Thread& root, int signal);

  std::map<Key, struct sigaction> actions_;
  std::vector<sigset_t> blocked_;  // By the number of the thread.
};

// The running thread gets the signal at once, as `call` demands: its process's handler runs, or
// what the system does without one.
void deliver(Execution& execution, std::string_view call, int signal);

}  // namespace lockstep::intercept
