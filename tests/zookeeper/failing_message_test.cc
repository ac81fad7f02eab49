#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "allocations/own_heap.h"
#include "lockstep/internal/frame_pool.h"
#include "lockstep/task_set.h"
#include "session.h"
#include "support/lab.h"
#include "zookeeper/connection_lab.h"

// A process whose memory is used up while the loop handles a message loses no answer and no event:
// if there is no memory for it, the session ends.
namespace lockstep::zookeeper {
namespace {

using namespace connection_lab;
using support::must;

// From now on, that many allocations of the loop succeed, and the next one fails.
void let_one_fail(std::size_t allocation) {
  internal::frame_pool.drain();
  heap::everywhere = true;
  heap::left_to_succeed = allocation;
}

void let_all_succeed() {
  heap::left_to_succeed = heap::kAllSucceed;
  heap::everywhere = false;
}

// A request, or a wait, with that allocation failing; the error with which it has ended.
using Use = Task<std::optional<Error>> (*)(Session& session, std::size_t allocation);

Task<void> make_chroot(Session& session) {
  must(co_await session.connected(), "connect");
  static_cast<void>(co_await session.create("/failing", Data(), CreateMode::kPersistent));
}

Task<void> keep_error(Task<std::optional<Error>> use, std::optional<Error>& error) {
  error = co_await std::move(use);
}

// Fails each allocation in turn, until there are no more.
void expect_no_loss(Use use) {
  const std::string servers = ZookeeperServer::shared().address();
  {
    Runtime runtime;
    Session session(runtime, Options(servers, kSessionTimeout));
    runtime.run(make_chroot(session));
  }
  const Options options(servers + "/failing", kSessionTimeout);
  bool failed = true;
  std::size_t ended = 0;
  for (std::size_t allocation = 0; failed && !testing::Test::HasFailure(); ++allocation) {
    SCOPED_TRACE(testing::Message() << "allocation " << allocation);
    Runtime runtime;
    Session session(runtime, options);
    std::optional<Error> error;
    const std::size_t before = heap::failures;
    EXPECT_NO_THROW(runtime.run(keep_error(use(session, allocation), error)));
    let_all_succeed();
    failed = heap::failures != before;
    ended += error ? 1 : 0;
    EXPECT_EQ(error.value_or(Error::kSessionExpired), Error::kSessionExpired);
    EXPECT_EQ(is_over(session.state()), error.has_value());
  }
  EXPECT_GT(ended, 0U);
}

Task<std::optional<Error>> connect_with_failure(Session& session, std::size_t allocation) {
  let_one_fail(allocation);
  const Result<void> connected = co_await session.connected();
  let_all_succeed();
  co_return error_of(connected);
}

Task<std::optional<Error>> create_with_failure(Session& session, std::size_t allocation) {
  must(co_await session.connected(), "connect");
  auto asked = session.create("/n-", "x", CreateMode::kEphemeralSequential);
  let_one_fail(allocation);
  const auto answer = co_await asked;
  let_all_succeed();
  co_return error_of(answer);
}

Task<std::optional<Error>> read_acl(Session& session, std::size_t allocation) {
  must(co_await session.connected(), "connect");
  auto asked = session.get_acl("/");
  let_one_fail(allocation);
  const auto answer = co_await asked;
  let_all_succeed();
  co_return error_of(answer);
}

Task<std::optional<Error>> create_by_multi(Session& session, std::size_t allocation) {
  must(co_await session.connected(), "connect");
  auto asked = session.multi(Transaction().create("/n-", "x", CreateMode::kEphemeralSequential));
  let_one_fail(allocation);
  const auto answer = co_await asked;
  let_all_succeed();
  co_return error_of(answer);
}

Task<std::optional<Error>> watch_with_failure(Session& session, std::size_t allocation) {
  must(co_await session.connected(), "connect");
  const auto left = must(co_await session.get_children_watched("/"), "get_children");
  auto change = session.create("/n-", "x", CreateMode::kEphemeralSequential);
  let_one_fail(allocation);
  const auto event = co_await left.watch.fired();
  let_all_succeed();
  co_return error_of(event);
}

Task<void> wait_for(const Watch& watch, Error& error) {
  error = error_of(co_await watch.fired()).value_or(Error::kNothing);
}

TEST(FailingMessageTest, AConnectionIsReportedOrTheSessionEnds) {
  expect_no_loss(&connect_with_failure);
}
TEST(FailingMessageTest, ACreateIsAnsweredOrTheSessionEnds) {
  expect_no_loss(&create_with_failure);
}
TEST(FailingMessageTest, AReadIsAnsweredOrTheSessionEnds) { expect_no_loss(&read_acl); }
TEST(FailingMessageTest, AMultiIsAnsweredOrTheSessionEnds) { expect_no_loss(&create_by_multi); }
TEST(FailingMessageTest, AWatchFiresOrTheSessionEnds) { expect_no_loss(&watch_with_failure); }

Task<void> end_with_a_watch(Runtime& runtime, Session& session) {
  must(co_await session.connected(), "connect");
  const auto left = must(co_await session.get_children_watched("/"), "get_children");
  Error error = Error::kNothing;
  runtime.spawn(wait_for(left.watch, error));
  let_one_fail(0);
  session.end_by_owner();
  let_all_succeed();
  const std::function<bool()> told = [&error] { return error != Error::kNothing; };
  co_await until(runtime, told);
  EXPECT_EQ(error, Error::kClosing);
}

TEST(FailingMessageTest, ASessionEndsWithItsWatchesWithoutMemory) {
  Runtime runtime;
  Session session(runtime, Options(ZookeeperServer::shared().address(), kSessionTimeout));
  runtime.run(end_with_a_watch(runtime, session));
}

Task<void> drop_a_watch(Runtime& runtime, Session& session) {
  must(co_await session.connected(), "connect");
  {
    const auto left = must(co_await session.get_children_watched("/"), "get_children");
    let_one_fail(0);
  }
  let_all_succeed();
  const std::function<bool()> idle = [&session] { return session.is_idle(); };
  co_await until(runtime, idle);
}

TEST(FailingMessageTest, AWatchCanBeDroppedWithoutMemory) {
  Runtime runtime;
  Session session(runtime, Options(ZookeeperServer::shared().address(), kSessionTimeout));
  runtime.run(drop_a_watch(runtime, session));
}

}  // namespace
}  // namespace lockstep::zookeeper
