#pragma once

#include <functional>

#include "lockstep/executor.h"
#include "lockstep/task.h"

namespace lockstep::fakezk {
class Process;
}

namespace lockstep::lab {

// Runs blocking code beside coroutines.
class Bodies {
 public:
  // Runs `body` as a thread of the process, and resumes on `executor`, which calls this, when it
  // has returned. Rethrows its exception.
  virtual Task<void> run_beside(Executor& executor, fakezk::Process& process,
                                std::function<void()> body) = 0;

 protected:
  ~Bodies() = default;
};

}  // namespace lockstep::lab
