#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lockstep/internal/language.h"

namespace lockstep::fakezk {

class Process;
class Threads;

// A thread of a simulated process: code with a stack of its own, which may block. When a blocking
// call of a thread is over, the thread does not go on at once, but in an event of its own
// (Event::Kind::kGoOn). Replies, watch events and other threads may come before that, as on a
// machine that preempts threads. Single-threaded, like the world, which outlives the thread.
class Thread {
 public:
  explicit Thread(Process& process);
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  // Its blocking call is over: from now on it may go on, once. Call this again only after it has
  // gone on.
  void make_ready();
  // For a running thread: lets other events come first. By default it goes on at once, before
  // everything else.
  void preempt();
  // The process, and which of its threads this is: the lowest number that no other one has.
  [[nodiscard]] std::uint32_t index() const { return index_; }
  [[nodiscard]] Process& process() const { return process_; }

 protected:
  virtual ~Thread();

 private:
  friend class Threads;
  virtual void go_on() = 0;

  Process& process_;
  std::uint32_t index_;
};

// The threads of all processes, and those that may go on.
class Threads {
 public:
  // The limit counts processes that have threads. Indices stay small, because strategies count by
  // them.
  static constexpr std::uint32_t kMostProcesses = 256;

  [[nodiscard]] static constexpr std::uint32_t process_of(std::uint32_t index) {
    return index % kMostProcesses;
  }
  [[nodiscard]] static constexpr std::uint32_t number_of(std::uint32_t index) {
    return index / kMostProcesses;
  }

  // The threads that may go on: the one that has waited longest comes first.
  [[nodiscard]] const std::vector<Thread*>& ready() const { return ready_; }
  // The first of them whose process is not stalled; null if there is none.
  [[nodiscard]] const Thread* next() const;
  // The ready thread with that index goes on.
  void go_on(std::uint32_t index);
  // The ready threads from this position on come first.
  void move_ahead(std::size_t first);
  // From now on a thread that is preempted comes last, until the reset.
  void become_fair() { fair_ = true; }
  void reset() { fair_ = false; }

 private:
  friend class Thread;

  // The lowest number of that process that no thread has is taken.
  [[nodiscard]] std::uint32_t take_index(std::uint32_t process);
  void give_back(std::uint32_t index);

  struct Numbers {
    std::vector<bool> taken;
    std::uint32_t least_free = 0;  // All numbers below it are taken.
  };
  std::vector<Numbers> numbers_;  // By process.
  std::vector<Thread*> ready_;
  bool fair_ = false;
};

}  // namespace lockstep::fakezk
