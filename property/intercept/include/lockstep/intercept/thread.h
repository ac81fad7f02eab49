#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::stacks {
class OwnStack;
}

namespace lockstep::intercept {

class Execution;
class ThreadLocals;

// Something that a thread waits for beside a call from another thread.
class Condition {
 public:
  [[nodiscard]] virtual bool holds() = 0;

 protected:
  ~Condition() = default;
};

// The reason why a wait has ended.
enum class Woken : std::uint8_t { kByEvent, kByTimer };

// One intercepted thread: code on a stack of its own that leaves it in each intercepted call at
// which another thread may come first. Belongs to its execution.
class Thread {
 public:
  // `by_library`: code that is not the user's has created it, and it belongs to its creator.
  Thread(Execution& execution, std::uint32_t number, Thread* creator, bool by_library,
         std::function<void*()> body);
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;
  // Objects on the stack of a thread that has not ended are not destroyed.
  ~Thread();

  // -- For the host.
  // Runs it until its next wait, or its end.
  void go_on();
  // Its timer has fired.
  void timed_out();
  // For the host's own data.
  void* hosted = nullptr;

  // In the order of creation, from 0.
  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] Thread* creator() const { return creator_; }
  [[nodiscard]] bool by_library() const { return by_library_; }
  // As set by pthread_setname_np; empty by default.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool ended() const { return ended_ || killed_; }
  // The thread of the host's that has created it, perhaps through others.
  [[nodiscard]] Thread& root() { return creator_ ? creator_->root() : *this; }
  // The call in which it waits, or has been interrupted: "pthread_mutex_lock".
  [[nodiscard]] std::string_view call() const { return call_; }
  // Whether only another thread, a timer or the network can let it go on.
  [[nodiscard]] bool waits() const { return waits_; }
  // Whether a timer can, too.
  [[nodiscard]] bool has_timer() const { return has_timer_; }
  // The number of waits that have ended: a thread that does not wait for ever moves on.
  [[nodiscard]] std::uint64_t moves() const { return moves_; }

 private:
  friend class Execution;
  void run();
  void finish();
  void leave();
  void kill();
  void wake(Woken by);

  Execution& execution_;
  std::uint32_t number_;
  Thread* creator_;
  bool by_library_;
  std::function<void*()> body_;
  std::unique_ptr<stacks::OwnStack> stack_;
  std::string name_;
  std::string_view call_ = "start";
  bool waits_ = false;
  bool began_ = false;
  bool ended_ = false;
  bool killed_ = false;  // With its process.
  bool detached_ = false;
  bool has_timer_ = false;
  Woken woken_ = Woken::kByEvent;
  std::uint64_t moves_ = 0;
  void* result_ = nullptr;
  bool inside_ = false;  // It has left in the middle of an intercepted call.
  std::unique_ptr<ThreadLocals> locals_;
  std::vector<void*> specific_;  // pthread_getspecific, by key.
  struct ExitCall {
    void (*function)(void*);
    void* argument;
  };
  std::vector<ExitCall> at_exit_;  // Destructors of thread_local variables.
};

}  // namespace lockstep::intercept
