#include <errno.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <latch>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "small_world.h"

// A thread that an execution leaves in the middle leaves its locks taken. A lock that outlives the
// execution, such as a static one, is free in the next.

namespace lockstep::intercept {
namespace {

// Both take the lock. The first execution is over while the thread still has it.
void expect_free_after(const std::function<void()>& take, const std::function<void()>& give_back) {
  SmallWorld first;
  first.run([&] {
    take();
    std::latch(1).wait();
  });
  ASSERT_EQ(first.stuck().size(), 1u);
  for (int i = 0; i < 2; ++i) {
    SmallWorld next;
    next.run([&] {
      take();
      give_back();
      take();
      give_back();
    });
    EXPECT_TRUE(next.stuck().empty()) << next.stuck().front();
    EXPECT_TRUE(next.misuses().empty());
  }
}

TEST(LeftLocksTest, AMutex) {
  std::mutex mutex;
  expect_free_after([&] { mutex.lock(); }, [&] { mutex.unlock(); });
  EXPECT_TRUE(mutex.try_lock());  // Outside of executions, too.
  mutex.unlock();
}

TEST(LeftLocksTest, AMutexThatWasTakenTwice) {
  std::recursive_mutex mutex;
  const auto take = [&] { mutex.lock(); };
  const auto give_back = [&] { mutex.unlock(); };
  expect_free_after(
      [&] {
        take();
        take();
      },
      [&] {
        give_back();
        give_back();
        EXPECT_EQ(pthread_mutex_unlock(mutex.native_handle()), EPERM);
      });
}

TEST(LeftLocksTest, AMutexOfNobodyCanBeDestroyedAndNotUnlocked) {
  pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
  SmallWorld first;
  first.run([&] {
    pthread_mutex_lock(&mutex);
    std::latch(1).wait();
  });
  SmallWorld second;
  second.run([&] {
    EXPECT_EQ(pthread_mutex_unlock(&mutex), EPERM);
    EXPECT_EQ(pthread_mutex_destroy(&mutex), 0);
  });
}

TEST(LeftLocksTest, AMutexOfNobodyIsFreeForCodeOutside) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  const auto leave_taken = [&] {
    SmallWorld world;
    world.run([&] {
      pthread_mutex_lock(&mutex);
      std::latch(1).wait();
    });
  };
  leave_taken();
  ASSERT_EQ(pthread_mutex_trylock(&mutex), 0);
  EXPECT_EQ(pthread_mutex_trylock(&mutex), EBUSY);
  run_in_orders([&] { EXPECT_EQ(pthread_mutex_trylock(&mutex), EBUSY); });
  pthread_mutex_unlock(&mutex);
  leave_taken();
  EXPECT_EQ(pthread_mutex_destroy(&mutex), 0);
}

TEST(LeftLocksTest, AMutexThatCodeOutsideHasUnlockedIsLikeAnyOther) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  SmallWorld world;
  world.run([&] { pthread_mutex_lock(&mutex); });
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&mutex);
  run_in_orders([&] { EXPECT_EQ(pthread_mutex_trylock(&mutex), EBUSY); });
  pthread_mutex_unlock(&mutex);
  EXPECT_EQ(pthread_mutex_destroy(&mutex), 0);
}

TEST(LeftLocksTest, AReadWriteLockOfNobodyIsFreeForCodeOutside) {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  SmallWorld world;
  world.run([&] {
    pthread_rwlock_wrlock(&lock);
    std::latch(1).wait();
  });
  ASSERT_EQ(pthread_rwlock_tryrdlock(&lock), 0);
  run_in_orders([&] { EXPECT_EQ(pthread_rwlock_trywrlock(&lock), EBUSY); });
  pthread_rwlock_unlock(&lock);
}

TEST(LeftLocksTest, AReadWriteLockThatCodeOutsideTakesDuringAnExecutionStaysTaken) {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  SmallWorld world;
  world.run([&] {
    pthread_rwlock_wrlock(&lock);
    const Execution::InRuntime outside;
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
  });
  run_in_orders([&] { EXPECT_EQ(pthread_rwlock_tryrdlock(&lock), EBUSY); });
  pthread_rwlock_unlock(&lock);
}

TEST(LeftLocksTest, AReadWriteLockThatAWriterHad) {
  std::shared_mutex mutex;
  expect_free_after([&] { mutex.lock(); }, [&] { mutex.unlock(); });
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TEST(LeftLocksTest, AReadWriteLockThatAReaderHad) {
  std::shared_mutex mutex;
  SmallWorld first;
  first.run([&] {
    mutex.lock_shared();
    std::latch(1).wait();
  });
  expect_free_after([&] { mutex.lock(); }, [&] { mutex.unlock(); });
}

TEST(LeftLocksTest, ASpinLock) {
  pthread_spinlock_t lock;
  ASSERT_EQ(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE), 0);
  expect_free_after([&] { EXPECT_EQ(pthread_spin_trylock(&lock), 0); },
                    [&] { pthread_spin_unlock(&lock); });
  SmallWorld last;
  last.run([&] {
    pthread_spin_lock(&lock);
    std::latch(1).wait();
  });
  ASSERT_EQ(pthread_spin_trylock(&lock), 0);  // Outside of executions, too.
  EXPECT_EQ(pthread_spin_trylock(&lock), EBUSY);
  run_in_orders([&] { EXPECT_EQ(pthread_spin_trylock(&lock), EBUSY); });
  pthread_spin_unlock(&lock);
}

using OwnStream = std::unique_ptr<std::FILE, decltype(&std::fclose)>;

OwnStream new_stream() { return {std::tmpfile(), &std::fclose}; }

// Returns what another real thread gets, which shares nothing with those of an execution.
int try_outside(std::FILE* stream) {
  int error = 0;
  std::thread([&] {
    error = ::ftrylockfile(stream);
    if (error == 0) ::funlockfile(stream);
  }).join();
  return error;
}

TEST(LeftLocksTest, AStream) {
  const OwnStream stream = new_stream();
  expect_free_after([&] { ::flockfile(stream.get()); }, [&] { ::funlockfile(stream.get()); });
  EXPECT_EQ(try_outside(stream.get()), 0);
}

TEST(LeftLocksTest, AStreamThatWasTakenTwice) {
  const OwnStream stream = new_stream();
  SmallWorld world;
  world.run([&] {
    ::flockfile(stream.get());
    EXPECT_EQ(::ftrylockfile(stream.get()), 0);
    ::flockfile(stream.get());
    ::funlockfile(stream.get());
    std::thread([&] { EXPECT_NE(::ftrylockfile(stream.get()), 0); }).join();
    std::latch(1).wait();
  });
  ASSERT_EQ(world.stuck().size(), 1u);
  EXPECT_EQ(try_outside(stream.get()), 0);
}

TEST(LeftLocksTest, AStreamOfAProcessThatEnds) {
  const OwnStream stream = new_stream();
  const auto takes_and_ends = [&] {
    ::flockfile(stream.get());
    std::this_thread::sleep_for(std::chrono::seconds(1));
    ::_exit(0);
  };
  run_processes_in_orders({takes_and_ends, takes_and_ends, takes_and_ends});
  EXPECT_EQ(try_outside(stream.get()), 0);
}

// Nothing touches the memory of a stream that is closed while its lock is taken.
TEST(LeftLocksTest, NotAStreamThatIsClosed) {
  SmallWorld world;
  void* next = nullptr;
  world.run([&] {
    std::FILE* const stream = std::tmpfile();
    ASSERT_NE(stream, nullptr);
    const std::size_t bytes = ::malloc_usable_size(stream);
    ::flockfile(stream);
    EXPECT_EQ(std::fclose(stream), 0);
    next = std::malloc(bytes);  // Most often in the same place.
    std::memset(next, 0xff, bytes);
  });
  std::free(next);
  EXPECT_TRUE(world.stuck().empty());
}

// A try finds the stream taken by a section without other calls, in some orders.
TEST(LeftLocksTest, ATryCanMeetASectionOfAStream) {
  const OwnStream stream = new_stream();
  int met = 0;
  run_in_orders([&] {
    std::thread other([&] {
      if (::ftrylockfile(stream.get()) != 0) {
        ++met;
      } else {
        ::funlockfile(stream.get());
      }
    });
    ::flockfile(stream.get());
    ::funlockfile(stream.get());
    other.join();
  });
  EXPECT_GT(met, 0);
}

// As if the routine had not begun.
TEST(LeftLocksTest, ARoutineThatRunsOnce) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  static int runs = 0;
  static bool waits = true;
  const auto routine = [] {
    ++runs;
    if (waits) std::latch(1).wait();
  };
  SmallWorld first;
  first.run([&] { pthread_once(&once, routine); });
  ASSERT_EQ(first.stuck().size(), 1u);
  waits = false;
  run_in_orders([&] { pthread_once(&once, routine); });
  EXPECT_EQ(runs, 2);
}

// libstdc++ counts the waiters of atomics in buckets, and still counts one that was left in the
// middle. A notification that wakes nobody is no scheduling point, with or without that.
TEST(LeftLocksTest, NotAWaiterOfAnAtomic) {
  std::atomic<int> word = 0;
  const auto notify = [&] {
    word = 1;
    word.notify_one();
  };
  SmallWorld before;
  before.run(notify);
  SmallWorld leaves;
  leaves.run([&] { word.wait(1); });
  ASSERT_EQ(leaves.stuck().size(), 1u);
  SmallWorld after;
  after.run(notify);
  EXPECT_EQ(after.turns(), before.turns());
}

// A lock that code outside of executions has taken stays taken.
TEST(LeftLocksTest, NotALockThatSomebodyElseHas) {
  std::mutex mutex;
  std::shared_mutex shared;
  mutex.lock();
  shared.lock();
  run_in_orders([&] {
    EXPECT_FALSE(mutex.try_lock());
    EXPECT_FALSE(shared.try_lock_shared());
  });
  mutex.unlock();
  shared.unlock();
}

}  // namespace
}  // namespace lockstep::intercept
