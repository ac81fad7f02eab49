#pragma once

#include "lockstep/internal/wait.h"

namespace lockstep::differential {

// Waits until everything that was posted to the executor before has run.
class Turn final : public internal::Wait {
 public:
  explicit Turn(Executor& executor) : Wait(executor, Context()) { executor.post(last_); }
  ~Turn() override { executor().withdraw(last_); }
  void await_resume() const {}

 private:
  class Last final : public lockstep::Runnable {
   public:
    explicit Last(Turn& turn) : turn_(turn) {}
    void run() override { turn_.finish(); }

   private:
    Turn& turn_;
  };

  void give_up(Error) override {}
  [[nodiscard]] std::optional<Error> failed() const override { return std::nullopt; }

  Last last_{*this};
};

}  // namespace lockstep::differential
