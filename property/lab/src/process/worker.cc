#include "process/worker.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace lockstep::lab {

namespace {

constexpr int kMostFreeBytes = 64 << 20;

// The child's part, until the orders end. Memory freed by one execution stays for the next one.
[[noreturn]] void serve(int orders, int replies, unsigned most_seconds, const Worker::Work& work) {
  ::mallopt(M_TRIM_THRESHOLD, kMostFreeBytes);
  while (const std::optional<Order> order = read_order(orders)) {
    ::alarm(most_seconds);
    work(*order, replies);
    ::alarm(0);
  }
  ::_exit(0);
}

}  // namespace

void Worker::start(unsigned most_seconds, IfSlow if_slow, const Work& work) {
  std::array<int, 2> orders{};
  std::array<int, 2> replies{};
  if (::pipe2(orders.data(), O_CLOEXEC) != 0) throw_no_child(errno);
  if (::pipe2(replies.data(), O_CLOEXEC) != 0) {
    const int error = errno;
    for (const int file : orders) ::close(file);
    throw_no_child(error);
  }
  child_ = ::fork();
  const int error = errno;
  if (child_ == 0) {
    ::close(orders[1]);
    ::close(replies[0]);
    begin_child(replies[1], if_slow);
    serve(orders[0], replies[1], most_seconds, work);
  }
  ::close(replies[1]);
  unread_orders_ = orders[0];
  orders_ = orders[1];
  replies_ = replies[0];
  executions_ = 0;
  if (child_ > 0) return;
  end();
  throw_no_child(error);
}

// Another child may have inherited the pipe, so that closing it alone would not end this one.
void Worker::end() {
  for (int* const file : {&orders_, &unread_orders_, &replies_}) {
    if (*file >= 0) ::close(*file);
    *file = -1;
  }
  if (child_ > 0) {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  child_ = 0;
}

std::optional<ReportedTrial> Worker::run(const Order& order, unsigned most_seconds, IfSlow if_slow,
                                         const Work& work) {
  if (child_ == 0) start(most_seconds, if_slow, work);
  std::optional<ReportedTrial> told;
  if (write_order(orders_, order)) told = read_trial(replies_);
  ++executions_;
  if (!told || told->ended_process || executions_ >= most_executions_) end();
  return told;
}

}  // namespace lockstep::lab
