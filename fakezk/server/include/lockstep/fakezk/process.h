#pragma once

#include <cstdint>
#include <exception>
#include <utility>

#include "lockstep/executor.h"
#include "lockstep/fakezk/process_clock.h"
#include "lockstep/fakezk/random_stream.h"
#include "lockstep/fakezk/work_loop.h"
#include "lockstep/internal/check.h"
#include "lockstep/task_set.h"

namespace lockstep::fakezk {

class World;

// The parts that all processes of a world share.
struct ProcessHost {
  World& world;
  WorkLoop& work;
  const WorldTime& time;
  Blocker* blocker = nullptr;  // Without one, no process may block.
  std::uint32_t stalled = 0;   // Processes.
};

// One simulated process: an executor with a clock, a random stream and tasks of its own.
class Process final : public Executor {
 public:
  // Exceptions that its tasks let escape go to the work loop, as all others do.
  Process(ProcessHost& host, std::uint32_t index)
      : host_(host), index_(index), tasks_(host.work.escaped()), clock_(host.time) {}

  [[nodiscard]] TimePoint now() const override { return clock_.now(); }
  void post(Runnable& work) override { host_.work.post(work); }
  void withdraw(Runnable& work) noexcept override { host_.work.withdraw(work); }
  void start_timer(Timer& timer, TimePoint due) override { clock_.start(timer, due); }
  void stop_timer(Timer& timer) noexcept override { clock_.stop(timer); }
  void escaped(std::exception_ptr exception) noexcept override {
    host_.work.keep_exception(std::move(exception));
  }
  [[nodiscard]] Blocker& blocker() noexcept override {
    internal::check(host_.blocker != nullptr, "code blocks in a world that has no Blocker");
    return *host_.blocker;
  }

  [[nodiscard]] std::uint32_t index() const { return index_; }
  [[nodiscard]] RandomStream& random() { return random_; }
  [[nodiscard]] const RandomStream& random() const { return random_; }
  [[nodiscard]] TaskSet& tasks() { return tasks_; }
  [[nodiscard]] World& world() { return host_.world; }
  [[nodiscard]] ProcessClock& clock() { return clock_; }
  [[nodiscard]] const ProcessClock& clock() const { return clock_; }
  // Whether it has something to do: without that, a stall or a crash would make no difference.
  [[nodiscard]] bool runs() const { return !tasks_.empty() || threads_ > 0; }
  // A thread of its own, beside its tasks, begins and ends.
  void thread_begins() { ++threads_; }
  void thread_ends() { --threads_; }

  // Executes nothing until wake(), which comes soon after `wakes_at` at the latest. Returns whether
  // this changes anything.
  bool stall(TimePoint wakes_at) {
    if (stalled_) return false;
    stalled_ = true;
    wakes_at_ = wakes_at;
    ++host_.stalled;
    return true;
  }
  bool wake() {
    if (!stalled_) return false;
    stalled_ = false;
    --host_.stalled;
    return true;
  }
  [[nodiscard]] bool stalled() const { return stalled_; }
  // Whether it sleeps, and time does not pass `time` before it has woken.
  [[nodiscard]] bool wakes_before(TimePoint time) const { return stalled_ && wakes_at_ < time; }

  // Removes its timers, wakes it, and makes its clock exact. Its tasks must have ended.
  void reset() {
    clock_.reset();
    wake();
  }
  [[nodiscard]] bool at_rest() const {
    return !runs() && clock_.timers().empty() && clock_.is_exact();
  }
  // A hash of what determines its clock and its timers from now on, besides its own actions.
  [[nodiscard]] std::uint64_t clock_hash() const {
    return stalled_ ? hash_with(clock_.hash(), wakes_at_) : clock_.hash();
  }

 private:
  ProcessHost& host_;
  std::uint32_t index_;
  RandomStream random_;
  TaskSet tasks_;
  std::uint32_t threads_ = 0;
  ProcessClock clock_;
  bool stalled_ = false;
  TimePoint wakes_at_{};  // In world time.
};

}  // namespace lockstep::fakezk
