#include <errno.h>
#include <gtest/gtest.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <thread>

#include "small_world.h"

// C11's threads, spin locks, read/write locks, futexes, and joins with a deadline.

namespace lockstep::intercept {
namespace {

// A counter that several threads increase under a C11 mutex, and a thread that waits for it.
struct Shared {
  mtx_t mutex;
  cnd_t changed;
  int count = 0;
};

int count_up(void* argument) {
  auto& shared = *static_cast<Shared*>(argument);
  mtx_lock(&shared.mutex);
  const int before = shared.count;
  thrd_yield();
  shared.count = before + 1;
  cnd_broadcast(&shared.changed);
  mtx_unlock(&shared.mutex);
  return before;
}

TEST(InterceptedC11ThreadsTest, AreThreadsOfTheExecution) {
  run_in_orders([] {
    Shared shared{};
    ASSERT_EQ(mtx_init(&shared.mutex, mtx_plain), thrd_success);
    ASSERT_EQ(cnd_init(&shared.changed), thrd_success);
    thrd_t a{};
    thrd_t b{};
    ASSERT_EQ(thrd_create(&a, &count_up, &shared), thrd_success);
    ASSERT_EQ(thrd_create(&b, &count_up, &shared), thrd_success);
    mtx_lock(&shared.mutex);
    while (shared.count < 2) cnd_wait(&shared.changed, &shared.mutex);
    mtx_unlock(&shared.mutex);
    int first = -1;
    int second = -1;
    EXPECT_EQ(thrd_join(a, &first), thrd_success);
    EXPECT_EQ(thrd_join(b, &second), thrd_success);
    EXPECT_EQ(first + second, 1);
    cnd_destroy(&shared.changed);
    mtx_destroy(&shared.mutex);
  });
}

TEST(InterceptedC11ThreadsTest, SleepInSimulatedTime) {
  run_in_orders([] {
    const auto start = std::chrono::steady_clock::now();
    const timespec hour{3600, 0};
    EXPECT_EQ(thrd_sleep(&hour, nullptr), 0);
    EXPECT_EQ(std::chrono::steady_clock::now() - start, std::chrono::hours(1));
  });
}

TEST(InterceptedC11ThreadsTest, AreRealOnesOutsideOfAnExecution) {
  Shared shared{};
  ASSERT_EQ(mtx_init(&shared.mutex, mtx_recursive), thrd_success);
  ASSERT_EQ(cnd_init(&shared.changed), thrd_success);
  thrd_t thread{};
  ASSERT_EQ(thrd_create(&thread, &count_up, &shared), thrd_success);
  int before = -1;
  EXPECT_EQ(thrd_join(thread, &before), thrd_success);
  EXPECT_EQ(before, 0);
  EXPECT_EQ(mtx_lock(&shared.mutex), thrd_success);
  EXPECT_EQ(mtx_trylock(&shared.mutex), thrd_success);
  mtx_unlock(&shared.mutex);
  mtx_unlock(&shared.mutex);
  mtx_destroy(&shared.mutex);
}

TEST(InterceptedSpinLockTest, KeepsOthersOut) {
  run_in_orders([] {
    pthread_spinlock_t lock;
    ASSERT_EQ(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE), 0);
    int inside = 0;
    int most = 0;
    const auto work = [&] {
      pthread_spin_lock(&lock);
      most = std::max(most, ++inside);
      std::this_thread::yield();
      --inside;
      pthread_spin_unlock(&lock);
    };
    std::thread a(work);
    std::thread b(work);
    a.join();
    b.join();
    EXPECT_EQ(most, 1);
    EXPECT_EQ(pthread_spin_trylock(&lock), 0);
    EXPECT_EQ(pthread_spin_trylock(&lock), EBUSY);
    pthread_spin_unlock(&lock);
    pthread_spin_destroy(&lock);
  });
}

TEST(InterceptedReadWriteLockTest, AWriterKnowsItsOwnLock) {
  run_in_orders([] {
    pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
    EXPECT_EQ(pthread_rwlock_wrlock(&rwlock), 0);
    EXPECT_EQ(pthread_rwlock_wrlock(&rwlock), EDEADLK);
    EXPECT_EQ(pthread_rwlock_rdlock(&rwlock), EDEADLK);
    EXPECT_EQ(pthread_rwlock_trywrlock(&rwlock), EBUSY);
    std::thread other([&] {
      EXPECT_EQ(pthread_rwlock_rdlock(&rwlock), 0) << "it waits";
      EXPECT_EQ(pthread_rwlock_unlock(&rwlock), 0);
    });
    EXPECT_EQ(pthread_rwlock_unlock(&rwlock), 0);
    EXPECT_EQ(pthread_rwlock_rdlock(&rwlock), 0);
    EXPECT_EQ(pthread_rwlock_rdlock(&rwlock), 0);
    EXPECT_EQ(pthread_rwlock_unlock(&rwlock), 0);
    EXPECT_EQ(pthread_rwlock_unlock(&rwlock), 0);
    other.join();
    EXPECT_EQ(pthread_rwlock_trywrlock(&rwlock), 0);
    EXPECT_EQ(pthread_rwlock_rdlock(&rwlock), EDEADLK);
    EXPECT_EQ(pthread_rwlock_unlock(&rwlock), 0);
  });
}

long futex(std::uint32_t& word, int operation, std::uint32_t value,
           const timespec* time = nullptr) {
  return ::syscall(SYS_futex, &word, operation, value, time, nullptr, FUTEX_BITSET_MATCH_ANY);
}

// Three threads wait, which the others cannot know but by its effect: time passes only then.
TEST(InterceptedFutexTest, AWakeTellsHowManyItHasWoken) {
  run_in_orders([] {
    std::uint32_t word = 0;
    int woken = 0;
    const auto wait = [&] {
      EXPECT_EQ(futex(word, FUTEX_WAIT, 0), 0);
      ++woken;
    };
    EXPECT_EQ(futex(word, FUTEX_WAKE, 1), 0);
    std::thread a(wait);
    std::thread b(wait);
    std::thread c(wait);
    std::this_thread::sleep_for(std::chrono::seconds(1));
    EXPECT_EQ(futex(word, FUTEX_WAKE, 2), 2);
    std::this_thread::sleep_for(std::chrono::seconds(1));
    EXPECT_EQ(woken, 2);
    EXPECT_EQ(futex(word, FUTEX_WAKE_BITSET, 1), 1);
    EXPECT_EQ(futex(word, FUTEX_WAKE, INT_MAX), 0);
    a.join();
    b.join();
    c.join();
    std::thread d(wait);
    std::this_thread::sleep_for(std::chrono::seconds(1));
    EXPECT_EQ(futex(word, FUTEX_WAKE, INT_MAX), 1);
    d.join();
    const timespec wrong{.tv_sec = -1, .tv_nsec = 0};
    EXPECT_EQ(futex(word, FUTEX_WAIT, 0, &wrong), -1);
    EXPECT_EQ(errno, EINVAL);
  });
}

void* nap(void*) {
  std::this_thread::sleep_for(std::chrono::seconds(2));
  return nullptr;
}

TEST(InterceptedJoinsTest, EndAtTheirDeadline) {
  run_in_orders([] {
    pthread_t thread{};
    ASSERT_EQ(pthread_create(&thread, nullptr, &nap, nullptr), 0);
    EXPECT_EQ(pthread_tryjoin_np(thread, nullptr), EBUSY);
    timespec deadline{};
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    ++deadline.tv_sec;
    EXPECT_EQ(pthread_clockjoin_np(thread, nullptr, CLOCK_MONOTONIC, &deadline), ETIMEDOUT);
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 5;
    EXPECT_EQ(pthread_timedjoin_np(thread, nullptr, &deadline), 0);
    EXPECT_EQ(pthread_tryjoin_np(thread, nullptr), EINVAL) << "it has been joined";
  });
}

}  // namespace
}  // namespace lockstep::intercept
