#include <errno.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "small_world.h"

// Threads, and objects by which they wait, behave as those of glibc where POSIX does not say how.

namespace lockstep::intercept {
namespace {

using std::chrono::seconds;

TEST(GlibcTest, AnExitUnwindsTheStack) {
  run_in_orders([] {
    std::vector<int> steps;
    pthread_t leaver{};
    static std::vector<int>* noted = nullptr;
    noted = &steps;
    const auto leave = [](void*) -> void* {
      struct Last {
        ~Last() { noted->push_back(2); }
      } last;
      try {
        pthread_exit(noted);
      } catch (...) {
        noted->push_back(1);
        throw;
      }
    };
    pthread_create(&leaver, nullptr, leave, nullptr);
    void* result = nullptr;
    EXPECT_EQ(pthread_join(leaver, &result), 0);
    EXPECT_EQ(result, &steps);
    EXPECT_EQ(steps, (std::vector<int>{1, 2}));
  });
}

// The last one to arrive may destroy the barrier at once, as in glibc.
TEST(GlibcTest, ABarrierIsDestroyedWhenAllHaveLeft) {
  run_in_orders([] {
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, nullptr, 2);
    const auto meet = [&] {
      if (pthread_barrier_wait(&barrier) != PTHREAD_BARRIER_SERIAL_THREAD) return;
      EXPECT_EQ(pthread_barrier_destroy(&barrier), 0);
      pthread_barrier_init(&barrier, nullptr, 5);
    };
    std::thread a(meet);
    std::thread b(meet);
    a.join();
    b.join();
    EXPECT_EQ(pthread_barrier_destroy(&barrier), 0);
  });
}

pthread_rwlock_t prefer_writers() {
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_t rwlock;
  pthread_rwlock_init(&rwlock, &attributes);
  return rwlock;
}

TEST(GlibcTest, AWaitingWriterKeepsReadersOutIfItIsPreferred) {
  run_in_orders([] {
    pthread_rwlock_t rwlock = prefer_writers();
    EXPECT_EQ(pthread_rwlock_rdlock(&rwlock), 0);
    EXPECT_EQ(pthread_rwlock_rdlock(&rwlock), 0);
    EXPECT_EQ(pthread_rwlock_unlock(&rwlock), 0);
    std::thread writer([&] {
      const timespec soon = {.tv_sec = ::time(nullptr) + 10, .tv_nsec = 0};
      EXPECT_EQ(pthread_rwlock_timedwrlock(&rwlock, &soon), ETIMEDOUT);
    });
    std::this_thread::sleep_for(seconds(1));
    EXPECT_EQ(pthread_rwlock_tryrdlock(&rwlock), EBUSY);
    // The writer gives up.
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(pthread_rwlock_rdlock(&rwlock), 0);
    EXPECT_GE(std::chrono::steady_clock::now() - start, seconds(8));
    writer.join();
    EXPECT_EQ(pthread_rwlock_unlock(&rwlock), 0);
    EXPECT_EQ(pthread_rwlock_unlock(&rwlock), 0);
  });
}

TEST(GlibcTest, AReaderThatReadsTwiceIsStuckBehindAPreferredWriter) {
  SmallWorld world;
  world.run([] {
    static pthread_rwlock_t rwlock = prefer_writers();
    pthread_rwlock_rdlock(&rwlock);
    std::thread([] { pthread_rwlock_wrlock(&rwlock); }).detach();
    std::this_thread::sleep_for(seconds(1));
    pthread_rwlock_rdlock(&rwlock);
  });
  EXPECT_EQ(world.stuck(),
            (std::vector<std::string>{"pthread_rwlock_rdlock", "pthread_rwlock_wrlock"}));
}

TEST(GlibcTest, StreamsHaveTheirLocks) {
  run_in_orders([] {
    bool is_inside = false;
    const auto work = [&] {
      ::flockfile(stdout);
      ::flockfile(stdout);
      EXPECT_FALSE(is_inside);
      is_inside = true;
      std::this_thread::sleep_for(seconds(1));
      is_inside = false;
      ::funlockfile(stdout);
      ::funlockfile(stdout);
    };
    std::thread a(work);
    std::thread b(work);
    a.join();
    b.join();
  });
}

TEST(GlibcTest, ADeletedKeyHasNoValue) {
  run_in_orders([] {
    pthread_key_t key = 0;
    ASSERT_EQ(pthread_key_create(&key, nullptr), 0);
    EXPECT_EQ(pthread_setspecific(key, &key), 0);
    EXPECT_EQ(pthread_key_delete(key), 0);
    EXPECT_EQ(pthread_setspecific(key, &key), EINVAL);
  });
}

}  // namespace
}  // namespace lockstep::intercept
