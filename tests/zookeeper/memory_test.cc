#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "lockstep/fair_mutex.h"
#include "lockstep/lock_observer.h"
#include "lockstep/sleep.h"
#include "lockstep/zookeeper/client.h"
#include "lockstep/zookeeper/runtime.h"
#include "real/watch_count.h"
#include "real/zookeeper_server.h"
#include "support/heap.h"
#include "support/lab.h"

// Memory of a process with a long queue, including that of ZooKeeper's C client.
namespace lockstep::zookeeper {
namespace {

using support::heap_bytes;
using support::must;
using support::watches_at;
using support::ZookeeperServer;

constexpr std::size_t kWaiters = 2000;

// The largest heap size at the moments at which a waiter had its list.
class Peak final : public LockObserver {
 public:
  void waiting(SessionId, const Path&, std::size_t) override {
    bytes = std::max(bytes, heap_bytes());
  }
  std::size_t bytes = 0;
};

Task<void> wait_for_ever(FairMutex& mutex) {
  const auto held = co_await mutex.acquire();
  if (held) ADD_FAILURE() << "the lock is held";
}

class Measured {
 public:
  std::size_t at_most = 0;  // Additional bytes while they queued up.
  std::size_t at_rest = 0;
};

Task<void> queue_up(Runtime& runtime, Client& client, const ZookeeperServer& server,
                    Measured& measured) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  Peak peak;
  FairMutex mutex(*session, "/memory", &peak);
  const auto held = must(co_await mutex.acquire(), "acquire");
  const std::size_t before = heap_bytes();
  for (std::size_t i = 0; i < kWaiters; ++i) runtime.spawn(wait_for_ever(mutex));
  while (watches_at(server) < kWaiters) {
    static_cast<void>(co_await sleep_for(runtime, std::chrono::milliseconds(20)));
  }
  must(co_await session->sync("/"), "sync");
  measured.at_rest = heap_bytes() - before;
  measured.at_most = peak.bytes - before;
  runtime.drop_spawned();
}

TEST(MemoryTest, WaitersCostLittleAtRestAndWhileTheyQueueUp) {
  Runtime runtime;
  ZookeeperServer server;
  Client client(runtime, Options(server.address(), std::chrono::seconds(40)));
  Measured measured;
  runtime.run(queue_up(runtime, client, server, measured));
  const std::size_t each = measured.at_rest / kWaiters;
  RecordProperty("bytes_of_a_waiter_at_rest", std::to_string(each));
  RecordProperty("bytes_at_most", std::to_string(measured.at_most));
  EXPECT_LT(each, 3072U);
  // The memory at rest, plus the lists of the waiters that ReplyWindow admits. The lists of all
  // waiters together would take more than a hundred.
  EXPECT_LT(measured.at_most, std::size_t{24} << 20);
}

}  // namespace
}  // namespace lockstep::zookeeper
