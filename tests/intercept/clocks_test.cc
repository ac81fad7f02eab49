#include <errno.h>
#include <gtest/gtest.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <limits>
#include <thread>

#include "linux_answers.h"
#include "small_world.h"

// Clocks of an execution, and times that are out of range.

namespace lockstep::intercept {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

TEST(InterceptedClocksTest, C11ShowsTheTimeOfTheWorld) {
  run_in_orders([] {
    timespec c11{};
    timespec posix{};
    ASSERT_EQ(timespec_get(&c11, TIME_UTC), TIME_UTC);
    ASSERT_EQ(clock_gettime(CLOCK_REALTIME, &posix), 0);
    EXPECT_EQ(c11.tv_sec, posix.tv_sec);
    EXPECT_EQ(c11.tv_nsec, posix.tv_nsec);
    const int no_base = 77;
    EXPECT_EQ(timespec_get(&c11, no_base), 0);
  });
}

TEST(InterceptedClocksTest, ADeadlineOfC11IsThatOfTheWorld) {
  run_in_orders([] {
    mtx_t mutex;
    cnd_t never;
    ASSERT_EQ(mtx_init(&mutex, mtx_timed), thrd_success);
    ASSERT_EQ(cnd_init(&never), thrd_success);
    const auto start = steady_clock::now();
    timespec deadline{};
    timespec_get(&deadline, TIME_UTC);
    deadline.tv_sec += 2;
    mtx_lock(&mutex);
    EXPECT_EQ(cnd_timedwait(&never, &mutex, &deadline), thrd_timedout);
    mtx_unlock(&mutex);
    EXPECT_EQ(steady_clock::now() - start, seconds(2));
  });
}

TEST(InterceptedClocksTest, ProcessorTimeIsTheWorlds) {
  run_in_orders([] {
    const clock_t start = clock();
    ::sleep(3);
    EXPECT_EQ(clock() - start, 3 * CLOCKS_PER_SEC);
  });
}

TEST(InterceptedClocksTest, EachClockIsKnown) {
  run_in_orders([] {
    timespec real{};
    timespec atomic{};
    EXPECT_EQ(::clock_gettime(CLOCK_REALTIME, &real), 0);
    EXPECT_EQ(::clock_gettime(CLOCK_TAI, &atomic), 0);
    EXPECT_EQ(atomic.tv_sec, real.tv_sec);
    EXPECT_EQ(::clock_gettime(77, &real), -1);
    EXPECT_EQ(errno, EINVAL);
  });
}

TEST(InterceptedClocksTest, ATimerThatHasExpiredOnceIsDisarmed) {
  run_in_orders([] {
    const int timer = ::timerfd_create(CLOCK_MONOTONIC, 0);
    itimerspec time{{0, 0}, {1, 0}};
    EXPECT_EQ(::timerfd_settime(timer, 0, &time, nullptr), 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1'500));
    EXPECT_EQ(::timerfd_gettime(timer, &time), 0);
    EXPECT_EQ(time.it_value.tv_sec, 0);
    EXPECT_EQ(time.it_value.tv_nsec, 0);
    // With an interval, the next expiration is told.
    time = {{1, 0}, {1, 0}};
    EXPECT_EQ(::timerfd_settime(timer, 0, &time, nullptr), 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(2'500));
    EXPECT_EQ(::timerfd_gettime(timer, &time), 0);
    EXPECT_EQ(time.it_value.tv_sec, 0);
    EXPECT_EQ(time.it_value.tv_nsec, 500'000'000);
    ::close(timer);
  });
}

TEST(InterceptedClocksTest, ADeadlineMattersOnlyIfTheMutexIsTaken) {
  run_in_orders([] {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    const timespec bad{.tv_sec = 0, .tv_nsec = -1};
    EXPECT_EQ(pthread_mutex_timedlock(&mutex, &bad), 0);
    EXPECT_EQ(pthread_mutex_timedlock(&mutex, &bad), EINVAL);
    EXPECT_EQ(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &bad), EINVAL);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
  });
}

TEST(InterceptedClocksTest, LinuxRefusesTimesBeforeZero) {
  run_in_orders([] {
    const timespec before{.tv_sec = -1, .tv_nsec = 0};
    EXPECT_EQ(nanosleep(&before, nullptr), -1);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(clock_nanosleep(CLOCK_REALTIME, 0, &before, nullptr), EINVAL);
    EXPECT_EQ(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &before, nullptr), EINVAL);
    EXPECT_EQ(ppoll(nullptr, 0, &before, nullptr), -1);
    EXPECT_EQ(errno, EINVAL);
    timeval negative{.tv_sec = 0, .tv_usec = -1};
    EXPECT_EQ(select(0, nullptr, nullptr, nullptr, &negative), -1);
    EXPECT_EQ(errno, EINVAL);
    const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    const itimerspec time{.it_interval = {}, .it_value = before};
    EXPECT_EQ(timerfd_settime(timer, 0, &time, nullptr), -1);
    EXPECT_EQ(errno, EINVAL);
    ::close(timer);
  });
}

// POSIX threads take a deadline before 0 as one that has passed.
TEST(InterceptedClocksTest, ADeadlineBeforeZeroHasPassed) {
  run_in_orders([] {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t never = PTHREAD_COND_INITIALIZER;
    const timespec before{.tv_sec = std::numeric_limits<time_t>::min(), .tv_nsec = 0};
    pthread_mutex_lock(&mutex);
    EXPECT_EQ(pthread_cond_timedwait(&never, &mutex, &before), ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
  });
}

TEST(InterceptedClocksTest, AFarTimeNeverComes) {
  SmallWorld world;
  world.run([] {
    timeval far{.tv_sec = std::numeric_limits<time_t>::max(), .tv_usec = 0};
    select(0, nullptr, nullptr, nullptr, &far);
    EXPECT_GE(steady_clock::now().time_since_epoch(), std::chrono::years(100));
  });
}

TEST(InterceptedClocksTest, ReadWriteLocksCheckTheirDeadlines) {
  run_in_orders([] {
    pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
    const timespec wrong{.tv_sec = 1, .tv_nsec = 1'000'000'000};
    EXPECT_EQ(pthread_rwlock_timedrdlock(&rwlock, &wrong), EINVAL);
    EXPECT_EQ(pthread_rwlock_timedwrlock(&rwlock, &wrong), EINVAL);
    EXPECT_EQ(pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &wrong), EINVAL);
    EXPECT_EQ(pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &wrong), EINVAL);
  });
}

constexpr clockid_t kNoClock = 99;

Answers answers_of_waits(clockid_t clock) {
  const timespec past{};
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t never = PTHREAD_COND_INITIALIZER;
  pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
  sem_t semaphore{};
  sem_init(&semaphore, 0, 0);
  pthread_t thread{};
  pthread_create(&thread, nullptr, [](void* nothing) { return nothing; }, nullptr);
  pthread_mutex_lock(&mutex);
  Answers answers = {answer_of(pthread_cond_clockwait(&never, &mutex, clock, &past))};
  pthread_mutex_unlock(&mutex);
  answers.push_back(answer_of(pthread_mutex_clocklock(&mutex, clock, &past)));
  answers.push_back(answer_of(pthread_rwlock_clockrdlock(&rwlock, clock, &past)));
  answers.push_back(answer_of(pthread_rwlock_clockwrlock(&rwlock, clock, &past)));
  answers.push_back(answer_of(sem_clockwait(&semaphore, clock, &past)));
  const timespec future{.tv_sec = 4'000'000'000, .tv_nsec = 0};
  const int joined = pthread_clockjoin_np(thread, nullptr, clock, &future);
  answers.push_back(answer_of(joined));
  if (joined != 0) pthread_join(thread, nullptr);
  return answers;
}

TEST(InterceptedClocksTest, WaitsKnowTwoClocksAsInLinux) {
  for (const clockid_t clock : {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME,
                                CLOCK_MONOTONIC_RAW, CLOCK_PROCESS_CPUTIME_ID, kNoClock}) {
    expect_answers_of_linux([=] { return answers_of_waits(clock); });
  }
}

TEST(InterceptedClocksTest, SleepsRefuseTheClocksThatLinuxRefuses) {
  expect_answers_of_linux([] {
    const timespec short_time{.tv_sec = 0, .tv_nsec = 1};
    const timespec bad{.tv_sec = 0, .tv_nsec = -1};
    Answers answers;
    for (const clockid_t clock :
         {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID, CLOCK_MONOTONIC_RAW,
          CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME, CLOCK_TAI, kNoClock}) {
      for (const timespec& time : {short_time, bad}) {
        answers.push_back(answer_of(clock_nanosleep(clock, 0, &time, nullptr)));
      }
    }
    return answers;
  });
}

}  // namespace
}  // namespace lockstep::intercept
