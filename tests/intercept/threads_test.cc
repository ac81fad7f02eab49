#include <errno.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "small_world.h"

// Threads, and every way in which they wait for each other.

namespace lockstep::intercept {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

TEST(InterceptedThreadsTest, AMutexKeepsOthersOut) {
  run_in_orders([] {
    std::mutex mutex;
    int inside = 0;
    int most = 0;
    const auto work = [&] {
      const std::lock_guard lock(mutex);
      most = std::max(most, ++inside);
      std::this_thread::yield();
      --inside;
    };
    std::thread a(work);
    std::thread b(work);
    std::thread c(work);
    a.join();
    b.join();
    c.join();
    EXPECT_EQ(most, 1);
  });
}

// Without the mutex, some order shows two threads inside.
TEST(InterceptedThreadsTest, OrdersDiffer) {
  int most = 0;
  run_in_orders([&] {
    int inside = 0;
    const auto work = [&] {
      most = std::max(most, ++inside);
      std::this_thread::yield();
      --inside;
    };
    std::thread a(work);
    std::thread b(work);
    a.join();
    b.join();
  });
  EXPECT_EQ(most, 2);
}

TEST(InterceptedThreadsTest, TheSameSeedGivesTheSameOrder) {
  const auto order = [](std::uint64_t seed) {
    std::vector<int> entered;
    SmallWorld world(seed);
    world.run([&] {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 6; ++i) {
        threads.emplace_back([&, i] {
          std::this_thread::yield();
          entered.push_back(i);
        });
      }
    });
    return entered;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

TEST(InterceptedThreadsTest, ThreadsThatWaitForEachOtherAreStuck) {
  bool found = false;
  for (std::uint64_t seed = 0; seed < kOrders && !found; ++seed) {
    SmallWorld world(seed);
    world.run([] {
      std::mutex a;
      std::mutex b;
      std::thread first([&] {
        const std::lock_guard one(a);
        const std::lock_guard two(b);
      });
      std::thread second([&] {
        const std::lock_guard one(b);
        const std::lock_guard two(a);
      });
      first.join();
      second.join();
    });
    found = world.stuck().size() == 3;
    if (found) {
      EXPECT_EQ(world.stuck()[0], "pthread_join");
      EXPECT_EQ(world.stuck()[1], "pthread_mutex_lock");
      EXPECT_EQ(world.stuck()[2], "pthread_mutex_lock");
    }
  }
  EXPECT_TRUE(found);
}

TEST(InterceptedThreadsTest, ConditionVariablesWakeTheirWaiters) {
  run_in_orders([] {
    std::mutex mutex;
    std::condition_variable came;
    int items = 0;
    int taken = 0;
    const auto take = [&] {
      std::unique_lock lock(mutex);
      came.wait(lock, [&] { return items > 0; });
      --items;
      ++taken;
    };
    std::thread a(take);
    std::thread b(take);
    for (int i = 0; i < 2; ++i) {
      const std::lock_guard lock(mutex);
      ++items;
      came.notify_one();
    }
    a.join();
    b.join();
    EXPECT_EQ(taken, 2);
  });
}

TEST(InterceptedThreadsTest, TimePassesOnlyInTheWorld) {
  const auto before = std::chrono::steady_clock::now();
  SmallWorld world;
  world.run([] {
    const auto start = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(hours(5));
    EXPECT_EQ(std::chrono::steady_clock::now() - start, hours(5));
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    EXPECT_EQ(never.wait_for(lock, hours(2)), std::cv_status::timeout);
    EXPECT_EQ(std::chrono::steady_clock::now() - start, hours(7));
    const auto realtime = std::chrono::system_clock::now();
    EXPECT_EQ(never.wait_until(lock, realtime + hours(1)), std::cv_status::timeout);
    EXPECT_EQ(std::chrono::system_clock::now() - realtime, hours(1));
  });
  EXPECT_EQ(world.now(), hours(8));
  EXPECT_LT(std::chrono::steady_clock::now() - before, hours(1));
}

TEST(InterceptedThreadsTest, MutexesOfEveryKindKeepTheirRules) {
  run_in_orders([] {
    std::recursive_mutex recursive;
    recursive.lock();
    EXPECT_TRUE(recursive.try_lock());
    std::thread([&] { EXPECT_FALSE(recursive.try_lock()); }).join();
    recursive.unlock();
    recursive.unlock();

    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_t checked;
    pthread_mutex_init(&checked, &attributes);
    EXPECT_EQ(pthread_mutex_lock(&checked), 0);
    EXPECT_EQ(pthread_mutex_lock(&checked), EDEADLK);
    EXPECT_EQ(pthread_mutex_unlock(&checked), 0);
    EXPECT_EQ(pthread_mutex_unlock(&checked), EPERM);
    EXPECT_EQ(pthread_mutex_destroy(&checked), 0);

    std::timed_mutex timed;
    timed.lock();
    std::thread([&] {
      const auto start = std::chrono::steady_clock::now();
      EXPECT_FALSE(timed.try_lock_for(seconds(3)));
      EXPECT_EQ(std::chrono::steady_clock::now() - start, seconds(3));
    }).join();
    timed.unlock();
  });
}

TEST(InterceptedThreadsTest, ReadersShareAndWritersDoNot) {
  run_in_orders([] {
    std::shared_mutex mutex;
    int readers = 0;
    bool writes = false;
    const auto read = [&] {
      const std::shared_lock lock(mutex);
      ++readers;
      EXPECT_FALSE(writes);
      std::this_thread::yield();
      --readers;
    };
    std::thread a(read);
    std::thread b(read);
    std::thread c([&] {
      const std::lock_guard lock(mutex);
      writes = true;
      EXPECT_EQ(readers, 0);
      std::this_thread::yield();
      writes = false;
    });
    a.join();
    b.join();
    c.join();
  });
}

TEST(InterceptedThreadsTest, FutexesWait) {
  run_in_orders([] {
    std::atomic<int> state = 0;
    std::counting_semaphore<2> permits(0);
    std::latch done(2);
    std::thread a([&] {
      state.wait(0);
      EXPECT_EQ(state, 1);
      permits.release();
      done.count_down();
    });
    std::thread b([&] {
      permits.acquire();
      done.count_down();
    });
    state = 1;
    state.notify_all();
    done.wait();
    a.join();
    b.join();
  });
}

int& contested() {
  static int value = [] {
    std::this_thread::yield();
    return 7;
  }();
  return value;
}

TEST(InterceptedThreadsTest, StaticInitialisationAndOnceRunOnce) {
  SmallWorld world(3);
  int runs = 0;
  world.run([&] {
    std::once_flag flag;
    const auto work = [&] {
      EXPECT_EQ(contested(), 7);
      std::call_once(flag, [&] {
        std::this_thread::yield();
        ++runs;
      });
    };
    std::thread a(work);
    std::thread b(work);
    a.join();
    b.join();
  });
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(world.stuck().empty());
}

int destroyed = 0;
struct Counted {
  int value = 1;
  ~Counted() { ++destroyed; }
};
thread_local Counted counted;

TEST(InterceptedThreadsTest, EachThreadHasItsOwnVariables) {
  destroyed = 0;
  counted.value = 5;
  run_in_orders([] {
    const auto work = [](int own) {
      EXPECT_EQ(counted.value, 1);
      counted.value = own;
      errno = own;
      std::this_thread::yield();
      EXPECT_EQ(counted.value, own);
      EXPECT_EQ(errno, own);
    };
    std::thread a(work, 2);
    std::thread b(work, 3);
    a.join();
    b.join();
  });
  EXPECT_EQ(counted.value, 5);
  EXPECT_EQ(destroyed, 2 * static_cast<int>(kOrders));
}

TEST(InterceptedThreadsTest, AnotherThreadMayUseAThreadLocalVariable) {
  run_in_orders([] {
    std::atomic<int*> lent = nullptr;
    std::thread lender([&] {
      lent = &counted.value;
      lent.notify_one();
      lent.wait(&counted.value);
      EXPECT_EQ(counted.value, 7);
    });
    lent.wait(nullptr);
    EXPECT_NE(lent.load(), &counted.value);
    *lent.load() = 7;
    EXPECT_EQ(counted.value, 1);
    lent = nullptr;
    lent.notify_one();
    lender.join();
  });
}

TEST(InterceptedThreadsTest, VariablesThatTheRuntimeHasUsedFirstAreDestroyedWithTheirThread) {
  destroyed = 0;
  run_in_orders([] {
    std::thread([] {
      Execution::enter_runtime();
      counted.value = 2;
      Execution::resume_code();
    }).join();
  });
  EXPECT_EQ(destroyed, static_cast<int>(kOrders));
}

TEST(InterceptedThreadsTest, KeysHaveDestructors) {
  static int ended = 0;
  ended = 0;
  run_in_orders([] {
    pthread_key_t key = 0;
    ASSERT_EQ(pthread_key_create(&key, [](void*) { ++ended; }), 0);
    EXPECT_EQ(pthread_getspecific(key), nullptr);
    std::thread([&] { pthread_setspecific(key, &ended); }).join();
    EXPECT_EQ(pthread_getspecific(key), nullptr);
    pthread_key_delete(key);
  });
  EXPECT_EQ(ended, static_cast<int>(kOrders));
}

TEST(InterceptedThreadsTest, ExceptionsOfThreadsDoNotMix) {
  run_in_orders([] {
    const auto work = [](int own) {
      try {
        throw own;
      } catch (int) {
        std::this_thread::yield();
        try {
          throw;
        } catch (int again) {
          EXPECT_EQ(again, own);
        }
      }
    };
    std::thread a(work, 1);
    std::thread b(work, 2);
    a.join();
    b.join();
  });
}

TEST(InterceptedThreadsTest, BarriersAndExitsWork) {
  run_in_orders([] {
    pthread_barrier_t barrier;
    ASSERT_EQ(pthread_barrier_init(&barrier, nullptr, 2), 0);
    int serial = 0;
    std::thread other([&] {
      if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) ++serial;
    });
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) ++serial;
    other.join();
    EXPECT_EQ(serial, 1);
    pthread_barrier_destroy(&barrier);

    pthread_t leaver{};
    pthread_create(
        &leaver, nullptr, [](void* argument) -> void* { pthread_exit(argument); }, &serial);
    void* result = nullptr;
    EXPECT_EQ(pthread_join(leaver, &result), 0);
    EXPECT_EQ(result, &serial);
  });
}

TEST(InterceptedThreadsTest, CallsThatCannotBeInterceptedAreNamed) {
  SmallWorld world;
  bool went_on = false;
  world.run([&] {
    static_cast<void>(::fork());
    went_on = true;
  });
  EXPECT_FALSE(went_on);
  ASSERT_EQ(world.misuses().size(), 1u);
  EXPECT_EQ(world.misuses()[0], "fork: hunted code cannot start or await processes");
  EXPECT_EQ(world.stuck(), std::vector<std::string>{"fork"});
}

// An abandoned thread keeps nothing from the next execution.
TEST(InterceptedThreadsTest, AnAbandonedThreadDoesNoHarm) {
  for (int i = 0; i < 100; ++i) {
    SmallWorld world;
    world.run([] {
      std::mutex mutex;
      mutex.lock();
      mutex.lock();
    });
    EXPECT_EQ(world.stuck().size(), 1u);
  }
  run_in_orders([] { std::thread([] { std::this_thread::yield(); }).join(); });
}

TEST(InterceptedThreadsTest, OtherThreadsKeepTheRealFunctions) {
  const auto before = std::chrono::steady_clock::now();
  std::atomic<bool> stop = false;
  std::atomic<int> wrong = 0;
  std::thread real([&] {
    while (!stop) {
      if (std::chrono::steady_clock::now() < before) ++wrong;
    }
  });
  run_in_orders([] { std::this_thread::sleep_for(seconds(1)); });
  stop = true;
  real.join();
  EXPECT_EQ(wrong, 0);
}

// Cleans up, so that the unwinder stops in its frame.
class Cleanup {
 public:
  explicit Cleanup(int& count) : count_(count) {}
  Cleanup(const Cleanup&) = delete;
  Cleanup& operator=(const Cleanup&) = delete;
  ~Cleanup() { ++count_; }

 private:
  int& count_;
};

[[gnu::noinline]] void throw_through(int frames, int& cleaned) {
  const Cleanup cleanup(cleaned);
  if (frames == 0) throw std::runtime_error("thrown");
  throw_through(frames - 1, cleaned);
}

// The unwinder calls pthread_once() for each frame that cleans up. How many there are depends on
// the compiler, and the schedule must not.
TEST(InterceptedThreadsTest, AnExceptionPassesWithoutAPoint) {
  int cleaned = 0;
  std::uint32_t turns[2] = {};
  for (const int frames : {0, 20}) {
    SmallWorld world;
    world.run([&] { EXPECT_THROW(throw_through(frames, cleaned), std::runtime_error); });
    turns[frames == 0 ? 0 : 1] = world.turns();
  }
  EXPECT_EQ(cleaned, 22);
  EXPECT_EQ(turns[0], turns[1]);
}

}  // namespace
}  // namespace lockstep::intercept
