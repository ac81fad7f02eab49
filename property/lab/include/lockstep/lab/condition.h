#pragma once

#include <utility>

#include "lockstep/async_event.h"
#include "lockstep/blocking/run.h"
#include "lockstep/task.h"

namespace lockstep::lab {

// A condition variable for the fibers of one process (Contender::on_fiber), where a
// std::condition_variable would stop them all. No mutex: between two blocking calls a fiber is not
// interrupted. Coroutines and callbacks of the process may notify, too. A hunt decides when a
// notified fiber goes on. Outlives its waits.
class Condition {
 public:
  // The executor of the process.
  explicit Condition(Executor& executor) : executor_(executor), notified_(executor) {}

  // Returns as soon as holds() is true. Looks now and after each notification.
  template <class Holds>
  void wait(Holds holds) {
    while (!holds()) {
      blocking::run(executor_, [&] { return next(holds); });
    }
  }
  void notify_all() {
    notified_.set();
    notified_.reset();
  }

 private:
  // A notification may come before the wait begins on the executor.
  template <class Holds>
  Task<void> next(Holds& holds) {
    if (holds()) co_return;
    static_cast<void>(co_await notified_.wait());
  }

  Executor& executor_;
  AsyncEvent notified_;
};

}  // namespace lockstep::lab
