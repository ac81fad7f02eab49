#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "lockstep/callback.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/on_client.h"
#include "real/lab_zookeeper.h"

namespace lockstep::zookeeper {
namespace {

using support::Lab;
using support::must;

// Returns once a session other than the holder's and `not_this` waits for the lock.
Task<SessionId> next_waiter(FairMutex& mutex, SessionId not_this) {
  for (;;) {
    const auto queue = must(co_await mutex.contenders(), "contenders");
    if (queue.size() == 2 && queue[1].stat.ephemeral_owner != not_this) {
      co_return queue[1].stat.ephemeral_owner;
    }
  }
}

Task<void> rejoin_after_a_kill(Lab& lab) {
  const Path lock = lab.parent() / "lock";
  const auto holder = co_await lab.open();
  FairMutex holders(*holder, lock);
  HeldLock held = must(co_await holders.acquire(), "acquire");

  lockstep::Client& client = lab.add_client(Lab::kLongSessionTimeout);
  const auto first = must(co_await client.session(Context()), "open");
  Rejoining<FairMutex> mutex(client, lock);
  TaskSet tasks;
  std::optional<ClientGrant> grant;
  start(tasks, mutex.acquire(),
        [&](Result<ClientGrant> got) { grant.emplace(must(std::move(got), "acquire")); });
  EXPECT_EQ(co_await next_waiter(holders, 0), first->id());
  co_await lab.kill(*first);
  const SessionId second = co_await next_waiter(holders, first->id());
  EXPECT_FALSE(grant.has_value());

  static_cast<void>(co_await held.release());
  while (!grant) static_cast<void>(must(co_await holders.contenders(), "contenders"));
  EXPECT_EQ(grant->rejoins, 1U);
  EXPECT_EQ(grant->session->id(), second);
  static_cast<void>(co_await grant->held.release());
}

TEST(SessionChangeTest, AnAcquireQueuesUpAgainOnTheNextSession) {
  const std::unique_ptr<Lab> lab = support::make_zookeeper_lab();
  lab->run(rejoin_after_a_kill(*lab));
}

}  // namespace
}  // namespace lockstep::zookeeper
