#pragma once

#include <map>
#include <mutex>

#include "chaos/contender/reporter.h"

namespace lockstep::chaos {

// The orders of the driver to the workers. Thread-safe.
class Control {
 public:
  // A worker wants to begin an acquire, and says so once it is done with everything about it.
  // False: it is not to begin one now.
  [[nodiscard]] bool begin(int worker);
  void end(int worker);
  // Notes what a worker is doing, for a driver that asks why it does not come to rest. A literal.
  void doing(int worker, const char* what);
  [[nodiscard]] bool quitting();
  // True from the moment on at which the workers are to come to rest.
  [[nodiscard]] bool pausing();

  // Obeys the commands on the standard input until the one to quit. Ends the process if the driver
  // has gone. On a thread of its own.
  void obey(Reporter& reporter);

 private:
  void take(Command command);
  [[nodiscard]] bool has_come_to_rest();
  void tell(Reporter& reporter);

  std::mutex mutex_;
  std::map<int, const char*> busy_;
  bool pausing_ = false;
  bool quitting_ = false;
  bool told_ = true;  // The driver, that the workers have come to rest.
};

}  // namespace lockstep::chaos
