#pragma once

#include <map>
#include <mutex>

#include "chaos/contender/reporter.h"

namespace lockstep::chaos {

// Passes the driver's orders to the workers. Thread-safe.
class Control {
 public:
  // A worker calls begin() before an acquire, and end() when it has finished everything about it.
  // If begin() returns false, it must not acquire now.
  [[nodiscard]] bool begin(int worker);
  void end(int worker);
  // Records what a worker does, for a driver that waits for it to rest. `what` is a literal.
  void doing(int worker, const char* what);
  [[nodiscard]] bool quitting();
  // True once the workers must come to rest.
  [[nodiscard]] bool pausing();

  // Obeys commands from standard input until the one to quit. Ends the process if the driver has
  // gone. Runs on its own thread.
  void obey(Reporter& reporter);

 private:
  void take(Command command);
  [[nodiscard]] bool has_come_to_rest();
  void tell(Reporter& reporter);

  std::mutex mutex_;
  std::map<int, const char*> busy_;
  bool pausing_ = false;
  bool quitting_ = false;
  bool told_ = true;  // The driver knows that the workers rest.
};

}  // namespace lockstep::chaos
