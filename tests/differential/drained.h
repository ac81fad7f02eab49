#pragma once

#include "lockstep/internal/wait.h"

namespace lockstep::differential {

// Waits until everything that was posted to the executor before has run.
class Drained final : public internal::Wait {
 public:
  explicit Drained(Executor& executor) : Wait(executor, Context()) { executor.post(last_); }
  ~Drained() override { executor().withdraw(last_); }
  void await_resume() const {}

 private:
  class Last final : public lockstep::Runnable {
   public:
    explicit Last(Drained& waiter) : waiter_(waiter) {}
    void run() override { waiter_.finish(); }

   private:
    Drained& waiter_;
  };

  void give_up(Error) override {}
  [[nodiscard]] std::optional<Error> failed() const override { return std::nullopt; }

  Last last_{*this};
};

}  // namespace lockstep::differential
