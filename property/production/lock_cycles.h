#pragma once

#include <chrono>
#include <coroutine>
#include <optional>
#include <utility>
#include <vector>

#include "lockstep/cohort_mutex.h"
#include "lockstep/internal/trampoline.h"
#include "lockstep/session.h"
#include "lockstep/zookeeper/runtime.h"
#include "program/bench.h"

namespace lockstep::program {

// The grants of one lock in their order.
class Tally {
 public:
  void granted(CohortToken token, Duration acquire) {
    expect(!std::exchange(inside_, true), "two contenders hold one lock");
    expect(std::exchange(newest_, token) < token, "a lock is not granted in the order of arrival");
    acquires_us.push_back(microseconds(acquire));
  }
  void leaves() { inside_ = false; }
  void cycle_took(Duration cycle) { cycles_us.push_back(microseconds(cycle)); }

  std::vector<double> acquires_us;
  std::vector<double> cycles_us;

 private:
  static double microseconds(Duration time) {
    return std::chrono::duration<double, std::micro>(time).count();
  }

  bool inside_ = false;
  CohortToken newest_{0, 0};
};

// Resumes after everything that is queued already, also replies and watch events: a contender that
// holds a lock gives way to one that should not.
class GiveWay final : private Runnable {
 public:
  explicit GiveWay(zookeeper::Runtime& runtime) : runtime_(runtime) {}
  ~GiveWay() override {
    if (queued) runtime_.withdraw(*this);
  }
  [[nodiscard]] static bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> coroutine) {
    coroutine_ = coroutine;
    runtime_.post_as_outside(*this);
  }
  void await_resume() const noexcept {}

 private:
  void run() override { internal::run_coroutine(coroutine_); }

  zookeeper::Runtime& runtime_;
  std::coroutine_handle<> coroutine_;
};

// Asks the server whether the znode of a lock's previous holder is gone while the next one holds.
class PreviousIsGone {
 public:
  // `previous` is that of all contenders of the lock.
  PreviousIsGone(Session& session, std::optional<Path>& previous)
      : session_(session), previous_(previous) {}
  template <class Held>
  Task<void> operator()(const Held& held) const {
    const std::optional<Path> previous = std::exchange(previous_, held.znode());
    if (!previous) co_return;
    const Result<Stat> found = co_await session_.exists(*previous);
    expect(!found && found.error() == Error::kNoNode, "a lock is granted before its release");
  }

 private:
  Session& session_;
  std::optional<Path>& previous_;
};

inline CohortToken token_of(const HeldLock& held) { return {held.fencing_token(), 1}; }
inline CohortToken token_of(const CohortMutex::Hold& hold) { return hold.fencing_token(); }

// Acquires and releases `mutex` until `end`, at least once. A holder waits for inside(held), and
// then for the ReleaseOutcome of leave(held).
template <class Mutex, class Inside, class Leave>
Task<void> contend(Mutex& mutex, Executor& executor, TimePoint end, Tally& tally, Inside inside,
                   Leave leave) {
  TimePoint began = executor.now();
  do {
    auto held = co_await mutex.acquire();
    expect(held.has_value(), "an acquire fails");
    tally.granted(token_of(*held), executor.now() - began);
    co_await inside(*held);
    tally.leaves();
    const ReleaseOutcome outcome = co_await leave(*held);
    expect(outcome == ReleaseOutcome::kReleased, "a release fails");
    const TimePoint over = executor.now();
    tally.cycle_took(over - began);
    began = over;
  } while (began < end);
}

}  // namespace lockstep::program
