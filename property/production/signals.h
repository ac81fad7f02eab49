#pragma once

#include <csignal>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "lockstep/executor.h"

namespace lockstep::program {

// Turns signals into calls on an executor. From its construction on they are blocked in the calling
// thread and in the threads that it starts: construct it before any other thread. A signal that was
// ignored stays so, and is not heard.
class Signals final : private Runnable {
 public:
  Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals() override;

  // `hear` is called on the executor, for each signal in the order of their arrival. Once.
  void listen(Executor& executor, std::function<void(int)> hear);
  // Ends that. The signals have their usual effect again; one that has not been heard has it now.
  void let_go();

  // The mask of the thread before, for programs to start with.
  [[nodiscard]] const sigset_t& mask_before() const { return before_; }

 private:
  void wait_for_signals();
  void run() override;

  sigset_t waited_for_{};
  sigset_t before_{};
  Executor* executor_ = nullptr;
  std::function<void(int)> hear_;
  std::thread thread_;

  std::mutex mutex_;
  std::deque<int> arrived_;
  bool posted_ = false;
  bool ending_ = false;
};

}  // namespace lockstep::program
