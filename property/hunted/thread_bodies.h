#pragma once

#include "lockstep/lab/bodies.h"

namespace lockstep::hunted {

// Runs blocking code on a separate thread, beside the executor's loop.
class ThreadBodies final : public lab::Bodies {
 public:
  Task<void> run_beside(Executor& executor, fakezk::Process& process,
                        std::function<void()> body) override;
};

}  // namespace lockstep::hunted
