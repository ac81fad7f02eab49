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

// One end of a connection, to a server outside of the intercepted threads or to another thread of
// the execution. The host calls Execution::descriptors_changed() when its connection changes
// without a call.
class Stream {
 public:
  // A reader sees the end after the bytes that have arrived. If a fault has broken the connection,
  // the last of these bytes may be lost, which is a choice. kReset: the other end has reset it,
  // with or without having said before that no more bytes follow.
  enum class End : std::uint8_t { kNone, kClosed, kBroken, kReset, kClosedAndReset };

  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  // Closes the connection.
  virtual ~Stream() = default;

  // Sends bytes to the server; takes them all.
  virtual void send(std::string_view bytes) = 0;
  // The bytes that have arrived and are not taken yet.
  [[nodiscard]] virtual std::string_view arrived() = 0;
  virtual void take(std::size_t bytes) = 0;
  [[nodiscard]] virtual End end() const = 0;
  // Tells the other end that no more bytes follow, while this end still receives. Without effect
  // unless the other end is a thread of the execution.
  virtual void shut_sending() {}
  // Resets the connection, which is then over at both ends. Without effect as shut_sending() is.
  virtual void abort() {}
  // Whether the other end still receives.
  [[nodiscard]] virtual bool is_received() const { return end() == End::kNone; }
  // Returns the host's time at which the last bytes arrived.
  [[nodiscard]] virtual std::chrono::nanoseconds last_arrival() const = 0;
};

// The world of intercepted threads: it owns time, random numbers, the order of threads, and the
// network. Called on the stack of the running thread, or by the code that runs the world;
// single-threaded. Its functions must not block.
class Host {
 public:
  Host() = default;
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  virtual ~Host() = default;

  // Returns the time since the world began.
  [[nodiscard]] virtual std::chrono::nanoseconds now() const = 0;
  // Draws a number below `options`; 0 is the default.
  [[nodiscard]] virtual std::uint32_t draw(std::uint32_t options) = 0;

  // Returns why the running thread cannot create another one, which is misuse then; nothing if it
  // can. `by_library`: as for the thread.
  [[nodiscard]] virtual std::string_view refuses_thread(bool by_library) const {
    static_cast<void>(by_library);
    return {};
  }
  // The running thread or the host has created a thread, which may go on from now on.
  virtual void started(Thread& thread) = 0;
  // A thread has returned, or ended with its process. Its object stays until the end of the
  // execution.
  virtual void ended(Thread& thread) = 0;
  // The host lets this thread go on later, once (Thread::go_on). `is_preempted`: it is the running
  // thread, and could also go on at once.
  virtual void make_ready(Thread& thread, bool is_preempted) = 0;
  // Calls Thread::timed_out() at that time, unless the timer is stopped before. A thread has at
  // most one timer.
  virtual void start_timer(Thread& thread, std::chrono::nanoseconds due) = 0;
  virtual void stop_timer(Thread& thread) = 0;

  // An attempt to connect to an address.
  struct Connecting {
    std::unique_ptr<Stream> stream;    // Null if the attempt fails.
    int error = 0;                     // The reason for a failure (errno).
    std::chrono::nanoseconds takes{};  // The time until the attempt succeeds or fails.
  };
  [[nodiscard]] virtual Connecting connect(Thread& thread, const sockaddr_in& to) = 0;
  // Resolves a host name.
  [[nodiscard]] virtual in_addr address_of(const std::string& host) = 0;

  // Adds a remark to the lanes about what the thread does.
  virtual void noted(Thread&, const std::string&) {}

  // The thread ends its process. Returns true if the host simulates processes
  // (Execution::end_threads_of), so that the thread does not go on; otherwise the real process
  // ends.
  [[nodiscard]] virtual bool process_ends(Thread&, int status) {
    static_cast<void>(status);
    return false;
  }

  // The thread has called a function that cannot be intercepted, or broken a rule; `text` describes
  // it. It does not go on.
  virtual void misused(Thread& thread, const std::string& text) = 0;
};

}  // namespace lockstep::intercept
