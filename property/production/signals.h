#pragma once

#include <csignal>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "lockstep/executor.h"

namespace lockstep::program {

// Turns signals into calls on an executor. The constructor blocks them in the calling thread and in
// threads started later: construct it before any other thread. A signal that was ignored stays
// ignored, and is not reported. SIGPIPE is blocked for good.
class Signals final : private Runnable {
 public:
  Signals();
  ~Signals() override;

  // Calls `hear` on the executor for each signal, in the order of arrival. Call it once.
  void listen(Executor& executor, std::function<void(int)> hear);
  // Stop this process, or its whole group, as Ctrl-Z does, and return when it continues. They
  // return at once if the kernel refuses: for the first process of a container, and for a group
  // that no shell could continue. Call them on the main thread.
  void stop_process() const;
  void stop_group() const;
  // Stops listening. The signals have their usual effect again, as has one that has arrived and was
  // not reported.
  void let_go();

  // The thread's mask before the constructor, for programs that this one starts.
  [[nodiscard]] const sigset_t& mask_before() const { return before_; }

 private:
  void listen_for(int signal);
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
