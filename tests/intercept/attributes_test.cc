#include <errno.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "small_world.h"

// Attributes of threads, and their keys.

namespace lockstep::intercept {
namespace {

TEST(InterceptedAttributesTest, AThreadKnowsItsStack) {
  run_in_orders([] {
    std::thread other([] {
      pthread_attr_t attributes;
      ASSERT_EQ(pthread_getattr_np(pthread_self(), &attributes), 0);
      void* begin = nullptr;
      std::size_t size = 0;
      int state = -1;
      EXPECT_EQ(pthread_attr_getstack(&attributes, &begin, &size), 0);
      EXPECT_EQ(pthread_attr_getdetachstate(&attributes, &state), 0);
      EXPECT_EQ(state, PTHREAD_CREATE_JOINABLE);
      pthread_attr_destroy(&attributes);
      const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
      EXPECT_LT(here - reinterpret_cast<std::uintptr_t>(begin), size);
    });
    other.join();
  });
}

TEST(InterceptedAttributesTest, SchedulingIsRemembered) {
  run_in_orders([] {
    const pthread_t self = pthread_self();
    int policy = -1;
    sched_param parameters{};
    EXPECT_EQ(pthread_getschedparam(self, &policy, &parameters), 0);
    EXPECT_EQ(policy, SCHED_OTHER);
    parameters.sched_priority = 7;
    EXPECT_EQ(pthread_setschedparam(self, SCHED_OTHER, &parameters), EINVAL);
    EXPECT_EQ(pthread_setschedparam(self, SCHED_FIFO, &parameters), 0);
    EXPECT_EQ(pthread_setschedprio(self, 9), 0);
    EXPECT_EQ(pthread_setschedprio(self, 1000), EINVAL);
    EXPECT_EQ(pthread_getschedparam(self, &policy, &parameters), 0);
    EXPECT_EQ(policy, SCHED_FIFO);
    EXPECT_EQ(parameters.sched_priority, 9);
    std::thread other([] {
      int others = -1;
      sched_param its{};
      EXPECT_EQ(pthread_getschedparam(pthread_self(), &others, &its), 0);
      EXPECT_EQ(others, SCHED_OTHER);
    });
    other.join();
  });
}

TEST(InterceptedAttributesTest, ProcessorsAreRemembered) {
  run_in_orders([] {
    cpu_set_t processors;
    EXPECT_EQ(pthread_getaffinity_np(pthread_self(), sizeof processors, &processors), 0);
    EXPECT_EQ(CPU_COUNT(&processors), 4);
    CPU_ZERO(&processors);
    EXPECT_EQ(pthread_setaffinity_np(pthread_self(), sizeof processors, &processors), EINVAL);
    CPU_SET(100, &processors);
    EXPECT_EQ(pthread_setaffinity_np(pthread_self(), sizeof processors, &processors), 0);
    CPU_ZERO(&processors);
    EXPECT_EQ(pthread_getaffinity_np(pthread_self(), sizeof processors, &processors), 0);
    EXPECT_TRUE(CPU_ISSET(100, &processors));
    EXPECT_EQ(CPU_COUNT(&processors), 1);
  });
}

TEST(InterceptedAttributesTest, TheMachineIsTheSameEverywhere) {
  run_in_orders([] {
    EXPECT_EQ(std::thread::hardware_concurrency(), 4u);
    EXPECT_EQ(::sysconf(_SC_NPROCESSORS_ONLN), 4);
    EXPECT_EQ(::sysconf(_SC_PAGESIZE), 4096);
    cpu_set_t processors;
    EXPECT_EQ(sched_getaffinity(0, sizeof processors, &processors), 0);
    EXPECT_EQ(CPU_COUNT(&processors), 4);
    EXPECT_TRUE(CPU_ISSET(sched_getcpu(), &processors));
    CPU_ZERO(&processors);
    EXPECT_EQ(sched_setaffinity(0, sizeof processors, &processors), -1);
    EXPECT_EQ(errno, EINVAL);
    CPU_SET(2, &processors);
    EXPECT_EQ(sched_setaffinity(0, sizeof processors, &processors), 0);
    EXPECT_EQ(pthread_getaffinity_np(pthread_self(), sizeof processors, &processors), 0);
    EXPECT_EQ(CPU_COUNT(&processors), 1);
  });
}

TEST(InterceptedAttributesTest, AThreadHasAClock) {
  run_in_orders([] {
    clockid_t clock{};
    ASSERT_EQ(pthread_getcpuclockid(pthread_self(), &clock), 0);
    timespec before{};
    timespec after{};
    EXPECT_EQ(clock_gettime(clock, &before), 0);
    std::this_thread::sleep_for(std::chrono::seconds(1));
    EXPECT_EQ(clock_gettime(clock, &after), 0);
    EXPECT_EQ(after.tv_sec - before.tv_sec, 1);
  });
}

TEST(InterceptedAttributesTest, ThreadsOfOthersAreUnknown) {
  const pthread_t real = pthread_self();
  run_in_orders([real] {
    pthread_attr_t attributes;
    cpu_set_t processors;
    clockid_t clock{};
    int policy = 0;
    sched_param parameters{};
    EXPECT_EQ(pthread_getattr_np(real, &attributes), ESRCH);
    EXPECT_EQ(pthread_getaffinity_np(real, sizeof processors, &processors), ESRCH);
    EXPECT_EQ(pthread_getcpuclockid(real, &clock), ESRCH);
    EXPECT_EQ(pthread_getschedparam(real, &policy, &parameters), ESRCH);
  });
}

TEST(InterceptedKeysTest, ANewKeyHasNoValues) {
  run_in_orders([] {
    pthread_key_t old = 0;
    ASSERT_EQ(pthread_key_create(&old, nullptr), 0);
    int value = 0;
    EXPECT_EQ(pthread_setspecific(old, &value), 0);
    EXPECT_EQ(pthread_key_delete(old), 0);
    pthread_key_t made = 0;
    ASSERT_EQ(pthread_key_create(&made, nullptr), 0);
    ASSERT_EQ(made, old) << "glibc gives the number again";
    EXPECT_EQ(pthread_getspecific(made), nullptr);
    pthread_key_delete(made);
  });
}

TEST(InterceptedKeysTest, AnInvalidKeyHasNoValue) {
  run_in_orders(
      [] {
        const auto invalid = std::numeric_limits<pthread_key_t>::max();
        EXPECT_EQ(pthread_getspecific(invalid), nullptr);
        EXPECT_EQ(pthread_setspecific(invalid, &invalid), EINVAL);
      },
      1);
}

}  // namespace
}  // namespace lockstep::intercept
