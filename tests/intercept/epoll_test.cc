#include <errno.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <thread>

#include "small_world.h"

// epoll and timerfd in an execution.

namespace lockstep::intercept {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

epoll_event event_of(std::uint32_t events, int file) {
  epoll_event event{};
  event.events = events;
  event.data.fd = file;
  return event;
}

void add(int epoll, int file, std::uint32_t events) {
  epoll_event event = event_of(events, file);
  ASSERT_EQ(::epoll_ctl(epoll, EPOLL_CTL_ADD, file, &event), 0);
}

void signal_once(int file) {
  const std::uint64_t one = 1;
  EXPECT_EQ(::write(file, &one, sizeof one), 8);
}

TEST(InterceptedEpollTest, WaitsForEventsAndForTime) {
  run_in_orders([] {
    const int epoll = ::epoll_create1(0);
    const int file = ::eventfd(0, EFD_NONBLOCK);
    add(epoll, file, EPOLLIN);
    std::array<epoll_event, 4> events{};
    const auto start = steady_clock::now();
    EXPECT_EQ(::epoll_wait(epoll, events.data(), 4, 250), 0);
    EXPECT_EQ(steady_clock::now() - start, milliseconds(250));
    std::thread other([&] { signal_once(file); });
    EXPECT_EQ(::epoll_wait(epoll, events.data(), 4, -1), 1);
    EXPECT_EQ(events[0].data.fd, file);
    EXPECT_EQ(events[0].events, static_cast<std::uint32_t>(EPOLLIN));
    other.join();
    ::close(file);
    EXPECT_EQ(::epoll_wait(epoll, events.data(), 4, 0), 0) << "a closed file is forgotten";
    ::close(epoll);
  });
}

TEST(InterceptedEpollTest, NoneIsBelowItself) {
  run_in_orders([] {
    const int above = ::epoll_create1(0);
    const int below = ::epoll_create1(0);
    add(above, below, EPOLLIN);
    epoll_event event = event_of(EPOLLIN, above);
    EXPECT_EQ(::epoll_ctl(below, EPOLL_CTL_ADD, above, &event), -1);
    EXPECT_EQ(errno, ELOOP);
    EXPECT_EQ(::epoll_wait(above, &event, 1, 0), 0);
    ::close(above);
    ::close(below);
  });
}

TEST(InterceptedEpollTest, ReportsInTurnAndOnce) {
  run_in_orders([] {
    const int epoll = ::epoll_create1(0);
    const int a = ::eventfd(1, 0);
    const int b = ::eventfd(1, 0);
    add(epoll, a, EPOLLIN);
    add(epoll, b, EPOLLIN | EPOLLONESHOT);
    epoll_event event{};
    for (const int expected : {a, b, a, a}) {
      EXPECT_EQ(::epoll_wait(epoll, &event, 1, 0), 1);
      EXPECT_EQ(event.data.fd, expected);
    }
    epoll_event again = event_of(EPOLLIN, b);
    EXPECT_EQ(::epoll_ctl(epoll, EPOLL_CTL_MOD, b, &again), 0);
    EXPECT_EQ(::epoll_ctl(epoll, EPOLL_CTL_DEL, a, nullptr), 0);
    EXPECT_EQ(::epoll_wait(epoll, &event, 1, 0), 1);
    EXPECT_EQ(event.data.fd, b);
    for (const int file : {a, b, epoll}) ::close(file);
  });
}

TEST(InterceptedEpollTest, ChangesAreSeenByAThreadThatWaits) {
  run_in_orders([] {
    const int epoll = ::epoll_create1(0);
    const int file = ::eventfd(1, 0);
    std::thread other([&] { add(epoll, file, EPOLLIN); });
    epoll_event event{};
    EXPECT_EQ(::epoll_wait(epoll, &event, 1, -1), 1);
    other.join();
    ::close(file);
    ::close(epoll);
  });
}

TEST(InterceptedEpollTest, WrongUsesAreErrors) {
  run_in_orders([] {
    const int epoll = ::epoll_create1(0);
    const int file = ::eventfd(0, 0);
    epoll_event event = event_of(EPOLLIN, file);
    const auto fails = [&](int with, int operation, int other, int error) {
      EXPECT_EQ(::epoll_ctl(with, operation, other, &event), -1);
      EXPECT_EQ(errno, error);
    };
    fails(epoll, EPOLL_CTL_MOD, file, ENOENT);
    fails(epoll, EPOLL_CTL_DEL, file, ENOENT);
    fails(epoll, EPOLL_CTL_ADD, epoll, EINVAL);
    fails(epoll, EPOLL_CTL_ADD, 900, EBADF);
    fails(file, EPOLL_CTL_ADD, epoll, EINVAL);
    add(epoll, file, EPOLLIN);
    fails(epoll, EPOLL_CTL_ADD, file, EEXIST);
    EXPECT_EQ(::epoll_wait(epoll, &event, 0, 0), -1);
    EXPECT_EQ(errno, EINVAL);
    ::close(file);
    ::close(epoll);
  });
}

TEST(InterceptedEpollTest, EdgeTriggeringIsRefused) {
  SmallWorld world;
  world.run([] {
    const int epoll = ::epoll_create1(0);
    epoll_event event = event_of(EPOLLIN | EPOLLET, 0);
    ::epoll_ctl(epoll, EPOLL_CTL_ADD, ::eventfd(0, 0), &event);
  });
  ASSERT_EQ(world.misuses().size(), 1u);
  EXPECT_EQ(world.misuses().front(),
            "epoll_ctl: edge-triggered and exclusive events cannot be intercepted yet");
}

itimerspec every(milliseconds first, milliseconds interval) {
  const auto time = [](milliseconds span) {
    return timespec{span.count() / 1000, span.count() % 1000 * 1'000'000};
  };
  return {time(interval), time(first)};
}

TEST(InterceptedTimerFilesTest, ExpireInSimulatedTime) {
  run_in_orders([] {
    const int timer = ::timerfd_create(CLOCK_MONOTONIC, 0);
    const itimerspec time = every(milliseconds(100), milliseconds(30));
    const auto start = steady_clock::now();
    EXPECT_EQ(::timerfd_settime(timer, 0, &time, nullptr), 0);
    std::uint64_t count = 0;
    EXPECT_EQ(::read(timer, &count, sizeof count), 8);
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(steady_clock::now() - start, milliseconds(100));
    std::this_thread::sleep_for(milliseconds(65));
    EXPECT_EQ(::read(timer, &count, sizeof count), 8);
    EXPECT_EQ(count, 2u);
    itimerspec left{};
    EXPECT_EQ(::timerfd_gettime(timer, &left), 0);
    EXPECT_EQ(left.it_value.tv_nsec, 25'000'000);
    ::close(timer);
  });
}

TEST(InterceptedTimerFilesTest, WakeThreadsThatPollForThem) {
  run_in_orders([] {
    const int epoll = ::epoll_create1(0);
    const int timer = ::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    add(epoll, timer, EPOLLIN);
    const auto start = steady_clock::now();
    // The timer is armed while the other thread waits, or before.
    std::thread other([&] {
      const itimerspec time = every(milliseconds(40), milliseconds(0));
      EXPECT_EQ(::timerfd_settime(timer, 0, &time, nullptr), 0);
    });
    epoll_event event{};
    EXPECT_EQ(::epoll_wait(epoll, &event, 1, -1), 1);
    EXPECT_EQ(steady_clock::now() - start, milliseconds(40));
    other.join();
    std::uint64_t count = 0;
    EXPECT_EQ(::read(timer, &count, sizeof count), 8);
    EXPECT_EQ(::read(timer, &count, sizeof count), -1);
    EXPECT_EQ(errno, EAGAIN);
    ::close(timer);
    ::close(epoll);
  });
}

}  // namespace
}  // namespace lockstep::intercept
