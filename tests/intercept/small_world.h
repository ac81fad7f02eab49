#pragma once

#include <errno.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/intercept/execution.h"

namespace lockstep::intercept {

// A host that schedules threads in an order drawn from a seed; time passes only when no thread can
// run. Connections lead nowhere.
class SmallWorld final : public Host {
 public:
  explicit SmallWorld(std::uint64_t seed = 0) { order_.seed(seed); }
  ~SmallWorld() override = default;

  // Runs `body` and the threads that it starts until nothing can happen any more.
  void run(const std::function<void()>& body) { run_processes({body}); }
  // Runs each body in a process of its own, which _exit() ends. All of them share one memory.
  void run_processes(const std::vector<std::function<void()>>& bodies);

  // Misuses by threads, and the calls in which unfinished threads wait.
  [[nodiscard]] const std::vector<std::string>& misuses() const { return misuses_; }
  [[nodiscard]] const std::vector<std::string>& stuck() const { return stuck_; }
  [[nodiscard]] std::uint32_t turns() const { return turns_; }

  [[nodiscard]] std::chrono::nanoseconds now() const override { return now_; }
  std::uint32_t draw(std::uint32_t options) override {
    return static_cast<std::uint32_t>(order_.next() % options);
  }
  void started(Thread& thread) override { ready_.push_back(&thread); }
  void ended(Thread&) override {}
  void make_ready(Thread& thread, bool) override { ready_.push_back(&thread); }
  void start_timer(Thread& thread, std::chrono::nanoseconds due) override;
  void stop_timer(Thread& thread) override;
  // Nobody answers at this port, and everybody refuses at the others.
  static constexpr in_port_t kSilentPort = 2;
  Connecting connect(Thread&, const sockaddr_in& to) override {
    if (to.sin_port != htons(kSilentPort)) return {.stream = nullptr, .error = ECONNREFUSED};
    return {.stream = nullptr, .error = ETIMEDOUT, .takes = std::chrono::seconds(127)};
  }
  [[nodiscard]] in_addr address_of(const std::string&) override { return {}; }
  void misused(Thread&, const std::string& text) override { misuses_.push_back(text); }
  [[nodiscard]] bool process_ends(Thread& thread, int) override {
    Execution::current()->end_threads_of(thread);
    return true;
  }

 private:
  struct Alarm {
    std::chrono::nanoseconds due;
    Thread* thread;
  };
  bool let_one_go_on();
  bool fire_timer();

  Randomness order_;
  std::chrono::nanoseconds now_{};
  std::vector<Thread*> ready_;
  std::vector<Alarm> alarms_;
  std::vector<std::string> misuses_;
  std::vector<std::string> stuck_;
  std::uint32_t turns_ = 0;
};

// Runs the body in that many orders, and expects that all threads end and no call is refused.
inline constexpr std::uint64_t kOrders = 50;
void run_in_orders(const std::function<void()>& body, std::uint64_t orders = kOrders);
void run_processes_in_orders(const std::vector<std::function<void()>>& bodies);

}  // namespace lockstep::intercept
