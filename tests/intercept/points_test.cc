#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <thread>

#include "small_world.h"

// Another thread can run directly before a call whose effect it could see.

namespace lockstep::intercept {
namespace {

// Calls on descriptors: `prepare` makes the one that `call` uses.
struct SeenCall {
  std::string name;
  std::function<int()> prepare;
  std::function<int(int)> call;
};

void PrintTo(const SeenCall& seen, std::ostream* out) { *out << seen.name; }

int tcp() { return ::socket(AF_INET, SOCK_STREAM, 0); }

int bind_somewhere(int file) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  return ::bind(file, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

int listening() {
  const int file = tcp();
  EXPECT_EQ(::listen(file, 1), 0);
  return file;
}

int watch_itself_not(int file) {
  epoll_event event{};
  EXPECT_EQ(::epoll_ctl(file, EPOLL_CTL_DEL, file, &event), -1);
  return 0;
}

int arm(int file) {
  const itimerspec soon{.it_interval = {}, .it_value = {.tv_sec = 1, .tv_nsec = 0}};
  return ::timerfd_settime(file, 0, &soon, nullptr);
}

int copy(int file) { return ::dup(file) < 0 ? -1 : 0; }

class PointsTest : public testing::TestWithParam<SeenCall> {};

TEST_P(PointsTest, AnotherThreadCanComeBetween) {
  int seen = 0;
  run_in_orders([&] {
    const int file = GetParam().prepare();
    bool is_next = false;
    std::thread other([&] {
      std::this_thread::yield();
      if (is_next) ++seen;
    });
    is_next = true;
    EXPECT_EQ(GetParam().call(file), 0);
    is_next = false;
    other.join();
    ::close(file);
  });
  EXPECT_GT(seen, 0);
}

const SeenCall kSeenCalls[] = {
    {"shutdown", &listening, [](int file) { return ::shutdown(file, SHUT_RDWR); }},
    {"bind", &tcp, &bind_somewhere},
    {"listen", &tcp, [](int file) { return ::listen(file, 1); }},
    {"dup", &tcp, &copy},
    {"epoll_ctl", [] { return ::epoll_create1(0); }, &watch_itself_not},
    {"timerfd_settime", [] { return ::timerfd_create(CLOCK_MONOTONIC, 0); }, &arm},
    {"eventfd_write", [] { return ::eventfd(0, 0); },
     [](int file) { return ::eventfd_write(file, 1); }},
};

INSTANTIATE_TEST_SUITE_P(Each, PointsTest, testing::ValuesIn(kSeenCalls),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace lockstep::intercept
