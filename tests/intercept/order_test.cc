#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <thread>

#include "lockstep/intercept/execution.h"
#include "small_world.h"

// The order of threads as ThreadSanitizer learns it from the runtime: what a thread has done before
// it ends a connection happens before what a reader does after the end. In a program without the
// sanitizer, this file takes its place; with it, the sanitizer itself reports the race on the plain
// variables below if the order is missing.

#if !defined(__SANITIZE_THREAD__)

namespace {

// A vector clock: by the thread's number, how far the others know it.
using Clock = std::map<unsigned, unsigned>;
std::map<unsigned, Clock> threads;
std::map<const void*, Clock> objects;

void join(Clock& into, const Clock& other) {
  for (const auto& [thread, time] : other) into[thread] = std::max(into[thread], time);
}

// An execution has other threads than the one before.
void forget() {
  threads.clear();
  objects.clear();
}

// Null between the turns of threads.
const lockstep::intercept::Thread* running() {
  const auto* const execution = lockstep::intercept::Execution::current();
  return execution ? execution->running() : nullptr;
}

}  // namespace

extern "C" void __tsan_acquire(void* object) {
  if (const auto* const thread = running()) join(threads[thread->number()], objects[object]);
}

extern "C" void __tsan_release(void* object) {
  const auto* const thread = running();
  if (!thread) return;
  Clock& own = threads[thread->number()];
  join(objects[object], own);
  ++own[thread->number()];
}

#endif

namespace lockstep::intercept {
namespace {

// A plain variable that one thread writes and another one reads.
class Plain {
 public:
#if !defined(__SANITIZE_THREAD__)
  Plain() { forget(); }
#endif
  void write() {
    value_ = 1;
#if !defined(__SANITIZE_THREAD__)
    writer_ = running()->number();
    time_ = threads[writer_][writer_];
#endif
  }
  void read() const {
    EXPECT_EQ(value_, 1);
#if !defined(__SANITIZE_THREAD__)
    const Clock& own = threads[running()->number()];
    const auto known = own.find(writer_);
    EXPECT_TRUE(known != own.end() && known->second >= time_) << "a race";
#endif
  }

 private:
  int value_ = 0;
#if !defined(__SANITIZE_THREAD__)
  unsigned writer_ = 0;
  unsigned time_ = 0;
#endif
};

void read_the_end(int file, const Plain& plain) {
  char byte = 0;
  EXPECT_EQ(::read(file, &byte, 1), 0);
  plain.read();
}

TEST(OrderOfThreadsTest, APipesEndComesAfterItsWriter) {
  run_in_orders([] {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    Plain plain;
    std::thread writer([&] {
      plain.write();
      ::close(ends[1]);
    });
    read_the_end(ends[0], plain);
    writer.join();
    ::close(ends[0]);
  });
}

TEST(OrderOfThreadsTest, APairsEndComesAfterItsWriter) {
  run_in_orders([] {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    Plain plain;
    std::thread writer([&] {
      plain.write();
      ::shutdown(ends[1], SHUT_WR);
    });
    read_the_end(ends[0], plain);
    writer.join();
    ::close(ends[0]);
    ::close(ends[1]);
  });
}

TEST(OrderOfThreadsTest, AConnectionsEndComesAfterItsSender) {
  run_in_orders([] {
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    ASSERT_EQ(::listen(listener, 1), 0);
    sockaddr_in address{};
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    ASSERT_EQ(::getsockname(listener, generic, &size), 0);
    const int client = ::socket(AF_INET, SOCK_STREAM, 0);
    ASSERT_EQ(::connect(client, generic, size), 0);
    const int server = ::accept(listener, nullptr, nullptr);
    Plain plain;
    std::thread sender([&] {
      plain.write();
      ::close(client);
    });
    read_the_end(server, plain);
    sender.join();
    ::close(server);
    ::close(listener);
  });
}

}  // namespace
}  // namespace lockstep::intercept
