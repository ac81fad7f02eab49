#pragma once

#include "lockstep/internal/wait.h"

namespace lockstep::differential {

// Waits until what was posted to the executor before has run.
class Turn final : public internal::Wait, private Runnable {
 public:
  explicit Turn(Executor& executor) : Wait(executor, Context()) { executor.post(*this); }
  ~Turn() override { executor().withdraw(*this); }
  void await_resume() const {}

 private:
  void run() override { finish(); }
  void give_up(Error) override {}
  [[nodiscard]] std::optional<Error> failed() const override { return std::nullopt; }
};

}  // namespace lockstep::differential
