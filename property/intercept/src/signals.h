#pragma once

#include <signal.h>

#include <cstdint>
#include <map>
#include <utility>

namespace lockstep::intercept {

class Thread;

// The handlers that each process of an execution has set for signals, unless those mean a crash:
// they have handlers of the system, which sends them, too.
class Signals {
 public:
  Signals();
  // `root` is the first thread of a process. Returns SIG_DFL if that process has set nothing.
  [[nodiscard]] struct sigaction action(const Thread& root, int signal) const;
  void set(const Thread& root, int signal, const struct sigaction& action);

 private:
  using Key = std::pair<std::uint32_t, int>;
  [[nodiscard]] static Key key(const Thread& root, int signal);

  std::map<Key, struct sigaction> actions_;
};

}  // namespace lockstep::intercept
