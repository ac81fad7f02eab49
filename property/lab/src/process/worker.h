#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "process/child.h"
#include "process/ends.h"

namespace lockstep::lab {

// A child process that runs executions on order, one after another. It is forked from this process
// at the first order, and again when it has ended or has run its number of executions.
class Worker {
 public:
  // Runs an execution in the child, and writes its trial to `file` (write_trial).
  using Work = std::function<void(const Order& order, int file)>;

  explicit Worker(std::uint32_t most_executions) : most_executions_(most_executions) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() { end(); }

  // Returns none if the child was killed: from outside, or because it took longer than that. A
  // running child keeps the work and the bounds that it was forked with. Throws std::system_error
  // if the machine has no more processes or files.
  [[nodiscard]] std::optional<ReportedTrial> run(const Order& order, unsigned most_seconds,
                                                 IfSlow if_slow, const Work& work);
  // Ends the child, if there is one: the next execution then starts from this process's memory.
  void end();

 private:
  void start(unsigned most_seconds, IfSlow if_slow, const Work& work);

  std::uint32_t most_executions_;
  std::uint32_t executions_ = 0;  // In this child.
  ::pid_t child_ = 0;             // 0 without a child.
  int orders_ = -1;
  int unread_orders_ =
      -1;  // The child's end, kept open: an order to a dead child raises no signal.
  int replies_ = -1;
};

}  // namespace lockstep::lab
