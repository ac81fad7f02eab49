#include "process/watchdog.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "process/sanitizer_report.h"
#include "process/spoken.h"
#include "process/thread_id.h"
#include "process/under_way.h"

namespace lockstep::lab {

namespace {

constexpr std::chrono::milliseconds kBetweenLooks(50);
constexpr std::chrono::seconds kPatience(10);
constexpr int kLooksOfPatience = kPatience / kBetweenLooks;
constexpr int kLooksAtReport = 12 * kLooksOfPatience;
constexpr int kLooksAtSleep = 40;
constexpr std::chrono::seconds kToAbort(2);

// Whether that thread of this process sleeps: /proc/PID/task/TID/stat, third field. A thread that
// waits for a processor or is stopped by a debugger does not count as asleep.
bool is_asleep(int thread_id) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread_id) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  return name_end != std::string::npos && line.substr(name_end).starts_with(") S");
}

void warn_of_sleep() {
  static std::atomic<bool> warned = false;
  if (warned.exchange(true)) return;
  std::cerr
      << "lockstep: code under a hunt sleeps or waits for real. Time is simulated in a hunt: "
         "sleep_for"
         " of lockstep/sleep.h and the waits of lockstep/blocking take no real time. A real wait"
         " slows the search down and may never end.\n";
}

// Makes the watched thread abort: it knows its schedule, and a debugger should stop there. If that
// thread cannot abort, this thread does.
[[noreturn]] void give_up(bool asleep, int thread_id) {
  std::cerr << "lockstep: code under a hunt has not returned for " << kPatience.count() << " s. "
            << (asleep
                    ? "It blocks in real time (a std::mutex or a condition that another contender"
                      " would have to free, a join, a sleep, input): contenders share one thread"
                      " and wait with a co_await or with lockstep/blocking only.\n"
                    : "It is still computing: it never ends, or takes too long for a hunt.\n");
  static_cast<void>(::syscall(SYS_tgkill, ::getpid(), thread_id, SIGABRT));
  std::this_thread::sleep_for(kToAbort);
  std::abort();
}

}  // namespace

Watchdog::~Watchdog() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ending_.notify_one();
  thread_.join();
}

// A trial has an alarm instead, and a second thread would make its page faults slow.
void Watchdog::began() {
  if (is_trial() || depth_++ > 0) return;
  thread_id_.store(own_thread_id(), std::memory_order_relaxed);
  count_visit();
  if (!thread_.joinable()) thread_ = std::thread([this] { watch(); });
}

void Watchdog::ended() {
  if (!is_trial() && --depth_ == 0) count_visit();
}

// Only the watched thread writes the count.
void Watchdog::count_visit() {
  visits_.store(visits_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

void Watchdog::watch() {
  Looks looks;
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, kBetweenLooks, [this] { return end_; })) look(looks);
}

// Counts a sleep if the same visit was in progress before and after the look at the thread.
void Watchdog::look(Looks& looks) const {
  if (last_words_begun()) return;
  const std::uint64_t visit = visits_.load(std::memory_order_acquire);
  const bool sleeps = visit % 2 == 1 && is_asleep(thread_id_.load(std::memory_order_relaxed));
  const bool inside = visit % 2 == 1 && visits_.load(std::memory_order_acquire) == visit;
  looks.same_visit = inside && visit == looks.visit ? looks.same_visit + 1 : 0;
  looks.visit = visit;
  const int patience = report_has_begun() ? kLooksAtReport : kLooksOfPatience;
  if (looks.same_visit >= patience) give_up(sleeps, thread_id_.load(std::memory_order_relaxed));
  if (inside && sleeps) ++looks.asleep;
  if (++looks.all < kLooksAtSleep) return;
  if (2 * looks.asleep >= looks.all) warn_of_sleep();
  looks.all = 0;
  looks.asleep = 0;
}

}  // namespace lockstep::lab
