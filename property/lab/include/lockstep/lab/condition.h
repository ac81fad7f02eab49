#pragma once

#include <utility>

#include "lockstep/async_event.h"
#include "lockstep/blocking/run.h"
#include "lockstep/clock.h"
#include "lockstep/context.h"
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
      blocking::run(executor_, [&] { return next(holds, Context()); });
    }
  }
  // The same until `deadline`, by the clock of the process; returns holds(). A wait is a timer of
  // the process only while it waits.
  template <class Holds>
  bool wait_until(Holds holds, TimePoint deadline) {
    while (!holds()) {
      const bool over = blocking::run(executor_, [&] { return next(holds, Context(deadline)); });
      if (over) return holds();
    }
    return true;
  }
  template <class Holds>
  bool wait_for(Holds holds, Duration most) {
    return wait_until(std::move(holds), after(executor_.now(), most));
  }
  void notify_all() {
    notified_.set();
    notified_.reset();
  }

 private:
  // Returns whether the context ended first. Looks again at the start, because a notification may
  // come before the wait begins on the executor.
  template <class Holds>
  Task<bool> next(Holds& holds, Context context) {
    if (holds()) co_return false;
    const Result<void> notified = co_await notified_.wait(std::move(context));
    co_return !notified;
  }

  Executor& executor_;
  AsyncEvent notified_;
};

}  // namespace lockstep::lab
