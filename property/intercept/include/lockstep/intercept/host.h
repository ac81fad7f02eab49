#pragma once

#include <netinet/in.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace lockstep::intercept {

class Thread;

// A connection to a server outside of the intercepted threads. The host calls
// Execution::descriptors_changed() after it has changed by itself.
class Stream {
 public:
  // A reader meets this after the bytes that have arrived. If a fault has broken it, the last of
  // these may never have, which is a choice.
  enum class End : std::uint8_t { kNone, kClosed, kBroken };

  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  // Closes the connection.
  virtual ~Stream() = default;

  // The bytes for the server; it takes them all.
  virtual void send(std::string_view bytes) = 0;
  // The bytes that have arrived and have not been taken.
  [[nodiscard]] virtual std::string_view arrived() = 0;
  virtual void take(std::size_t bytes) = 0;
  [[nodiscard]] virtual End end() const = 0;
  // When the last bytes arrived, in the host's time.
  [[nodiscard]] virtual std::chrono::nanoseconds last_arrival() const = 0;
};

// The world in which intercepted threads run: it owns time, chance, the order in which threads go
// on, and the network. Called on the stack of the thread that is running, or by the code that runs
// the world; single-threaded. Its functions may not block.
class Host {
 public:
  Host() = default;
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  virtual ~Host() = default;

  // The time since the world began.
  [[nodiscard]] virtual std::chrono::nanoseconds now() const = 0;
  // A number below `options`; 0 is the default.
  [[nodiscard]] virtual std::uint32_t draw(std::uint32_t options) = 0;

  // A thread has been created, by the running thread or by the host; it may go on from now on.
  virtual void started(Thread& thread) = 0;
  // It has returned, or ended with its process. Its object stays until the end of the execution.
  virtual void ended(Thread& thread) = 0;
  // The host lets this thread go on some time later (Thread::go_on), once. `is_preempted`: it is
  // the running thread, and could just as well go on without a break.
  virtual void may_go_on(Thread& thread, bool is_preempted) = 0;
  // Thread::timed_out() is called at that time, unless the timer is stopped before. A thread has
  // one timer at most.
  virtual void start_timer(Thread& thread, std::chrono::nanoseconds due) = 0;
  virtual void stop_timer(Thread& thread) = 0;

  // An attempt to connect to that address, which succeeds or fails after some time.
  struct Attempt {
    std::unique_ptr<Stream> stream;  // Null if it fails,
    int error = 0;                   // with this one.
    std::chrono::nanoseconds takes{};
  };
  [[nodiscard]] virtual Attempt connect(Thread& thread, const sockaddr_in& to) = 0;
  // The address of a host name.
  [[nodiscard]] virtual in_addr address_of(const std::string& host) = 0;

  // A remark about what the thread is doing, for lanes.
  virtual void noted(Thread&, const std::string&) {}

  // The thread ends its process. True if it does not go on, because the host simulates processes
  // (Execution::end_threads_of); the real process ends otherwise.
  [[nodiscard]] virtual bool process_ends(Thread&, int status) {
    static_cast<void>(status);
    return false;
  }

  // The thread has called something that cannot be intercepted, or against its rules; `text` says
  // what. It does not go on.
  virtual void misused(Thread& thread, const std::string& text) = 0;
};

}  // namespace lockstep::intercept
