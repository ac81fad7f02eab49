#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <latch>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lockstep/fair_mutex.h"
#include "lockstep/leader_latch.h"
#include "lockstep/task_set.h"
#include "real/server_process.h"
#include "real/temporary_directory.h"
#include "support/lab.h"
#include "support/no_descriptor_left.h"
#include "support/session_waits.h"
#include "zookeeper/connection_lab.h"

// Limits after which opening, or a session without a connection, is given up.
namespace lockstep::zookeeper {
namespace {

using namespace connection_lab;
using support::must;
using support::NoDescriptorLeft;
using support::StateReached;
using support::StateRecorder;

TEST(ConnectionTest, APolicyEndsOpeningWithoutADeadline) {
  const RetryPolicy policies[] = {RetryPolicy::none(),
                                  RetryPolicy::bounded(std::chrono::milliseconds(500))};
  for (const RetryPolicy& policy : policies) {
    Runtime runtime;
    Options options(refused_address());
    options.retry = policy;
    Client client(runtime, options);
    OpenResult result = failure(Error::kNothing);
    runtime.run(open_into(client, lockstep::Context(), result));
    EXPECT_EQ(error_of(result), Error::kNotConnected);
    EXPECT_NE(client.last_failure().find("session: given up after"), std::string::npos);
    EXPECT_NE(client.last_failure().find("Connection refused"), std::string::npos);
  }
}

// The reasons that clients with different policies give if they cannot open a session.
template <class Shortage>
std::vector<std::string> failures_under_policies(Shortage begin) {
  std::vector<std::string> failures;
  const RetryPolicy policies[] = {RetryPolicy::none(),
                                  RetryPolicy::bounded(std::chrono::milliseconds(300))};
  for (const RetryPolicy& policy : policies) {
    Runtime runtime;
    Options options(ZookeeperServer::shared().address());
    options.retry = policy;
    Client client(runtime, options);
    const auto shortage = begin();
    OpenResult result = failure(Error::kNothing);
    runtime.run(open_into(client, lockstep::Context(), result));
    EXPECT_EQ(error_of(result), Error::kNotConnected);
    failures.push_back(client.last_failure());
  }
  return failures;
}

TEST(ConnectionTest, APolicyEndsOpeningWithoutDescriptors) {
  for (const std::string& failure : failures_under_policies([] { return NoDescriptorLeft(); })) {
    EXPECT_NE(failure.find("Too many open files"), std::string::npos);
  }
}

TEST(ConnectionTest, ASessionOpensAsSoonAsThereAreDescriptors) {
  Runtime runtime;
  Client client(runtime, Options(ZookeeperServer::shared().address()));
  {
    const NoDescriptorLeft no_descriptor;
    EXPECT_EQ(error_of(open(runtime, client, std::chrono::milliseconds(100))),
              Error::kNotConnected);
    EXPECT_NE(client.last_failure().find("Too many open files"), std::string::npos);
  }
  EXPECT_TRUE(open(runtime, client));
}

// Leaves this process room for so many more threads. The superuser escapes a limit on the number of
// threads, so memory is limited: there is none for a stack, but the next threads can have those of
// threads that have ended.
class RoomForThreads {
 public:
  explicit RoomForThreads(int count) {
    std::latch may_end(1);
    std::vector<std::jthread> ended;
    for (int i = 0; i < count; ++i) ended.emplace_back([&] { may_end.wait(); });
    getrlimit(RLIMIT_AS, &before_);
    rlimit lower = before_;
    lower.rlim_cur = memory_bytes() + kLessThanAStack;
    setrlimit(RLIMIT_AS, &lower);
    take_all();
    may_end.count_down();
  }
  RoomForThreads(const RoomForThreads&) = delete;
  RoomForThreads& operator=(const RoomForThreads&) = delete;
  ~RoomForThreads() {
    setrlimit(RLIMIT_AS, &before_);
    over_.count_down();
  }

 private:
  static constexpr rlim_t kLessThanAStack = 1 << 20;
  static rlim_t memory_bytes() {
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
  }
  void take_all() {
    try {
      for (;;) taken_.emplace_back([this] { over_.wait(); });
    } catch (const std::exception&) {  // All are taken, or there is no memory for another.
    }
  }

  rlimit before_{};
  std::latch over_{1};
  std::vector<std::jthread> taken_;
};

// The C client would end the process.
TEST(ConnectionTest, ASessionOpensAsSoonAsThereAreThreads) {
  Runtime runtime;
  Client client(runtime, Options(ZookeeperServer::shared().address()));
  {
    const RoomForThreads of_the_session(1);
    EXPECT_EQ(error_of(open(runtime, client, std::chrono::milliseconds(100))),
              Error::kNotConnected);
    EXPECT_NE(client.last_failure().find("Resource temporarily unavailable"), std::string::npos)
        << client.last_failure();
  }
  EXPECT_TRUE(open(runtime, client));
}

Task<void> open_with_room(Client& client, lockstep::Context context, std::optional<Error>& error) {
  const Result<SessionRoom> opened = co_await client.session_with_room(10, context);
  error = error_of(opened);
}

TEST(ConnectionTest, ASessionOpensAsSoonAsThereIsAThread) {
  const std::string text = "session: Resource temporarily unavailable";
  Runtime runtime;
  Client client(runtime, Options(ZookeeperServer::shared().address()));
  {
    const RoomForThreads none(0);
    const Duration limit = std::chrono::milliseconds(100);
    EXPECT_EQ(error_of(open(runtime, client, limit)), Error::kNotConnected);
    EXPECT_EQ(client.last_failure(), text);
    std::optional<Error> error;
    runtime.run(open_with_room(client, lockstep::Context(runtime.now() + limit), error));
    EXPECT_EQ(error, Error::kNotConnected);
    EXPECT_EQ(client.last_failure(), text);
  }
  EXPECT_TRUE(open(runtime, client));
  EXPECT_EQ(client.last_failure(), "");
}

// The first call goes on when the room comes, without another one.
Task<void> make_room_meanwhile(Runtime& runtime, Client& client) {
  std::optional<RoomForThreads> none(std::in_place, 0);
  OpenResult result = failure(Error::kNothing);
  TaskSet opening;
  opening.spawn(open_into(client, lockstep::Context(), result));
  co_await until_it_says(runtime, client, "session: Resource temporarily unavailable");
  none.reset();
  const std::function<bool()> opened = [&result] { return result.has_value(); };
  co_await until(runtime, opened);
}

TEST(ConnectionTest, ACallThatFindsNoThreadGoesOn) {
  Runtime runtime;
  Options options(ZookeeperServer::shared().address());
  options.retry.base_delay = Duration(0);
  options.retry.longest_delay = Duration(0);
  Client client(runtime, options);
  runtime.run(make_room_meanwhile(runtime, client));
}

Task<void> need_two_sessions(Runtime& runtime, Client& client) {
  constexpr std::size_t kMostOfOne = 3000;
  const SessionRoom first =
      must(co_await client.session_with_room(kMostOfOne, lockstep::Context()), "open");
  const RoomForThreads none(0);
  const lockstep::Context soon(runtime.now() + std::chrono::milliseconds(300));
  const SessionRoom second = must(co_await client.session_with_room(kMostOfOne, soon), "share");
  EXPECT_EQ(second.session(), first.session());
  EXPECT_FALSE(second.is_set_aside());
}

TEST(ConnectionTest, WithoutAThreadForAnotherSessionTheFirstServes) {
  Runtime runtime;
  Options options(ZookeeperServer::shared().address());
  options.packet_limit = 5000;
  Client client(runtime, options);
  runtime.run(need_two_sessions(runtime, client));
}

TEST(ConnectionTest, APolicyEndsOpeningWithoutThreads) {
  for (const std::string& failure : failures_under_policies([] { return RoomForThreads(0); })) {
    EXPECT_NE(failure.find("Resource temporarily unavailable"), std::string::npos);
  }
}

// No server answers when the room comes, after most of the time that the policy allows.
Task<void> make_room_late(Runtime& runtime, Client& client, Duration limit) {
  std::optional<RoomForThreads> none(std::in_place, 0);
  const TimePoint start = runtime.now();
  OpenResult result = failure(Error::kNothing);
  TaskSet opening;
  opening.spawn(open_into(client, lockstep::Context(), result));
  const std::function<bool()> late = [&] { return runtime.now() > start + limit * 4 / 5; };
  co_await until(runtime, late);
  none.reset();
  const std::function<bool()> ended = [&] { return error_of(result) == Error::kNotConnected; };
  co_await until(runtime, ended);
  EXPECT_LT(runtime.now() - start, limit * 3 / 2);
  EXPECT_NE(client.last_failure().find("session: given up after"), std::string::npos);
}

TEST(ConnectionTest, APolicyCountsTheWaitForAThread) {
  const Duration limit = std::chrono::seconds(2);
  Runtime runtime;
  Options options(refused_address());
  options.retry = RetryPolicy::bounded(limit);
  options.retry.longest_delay = std::chrono::milliseconds(20);
  Client client(runtime, options);
  runtime.run(make_room_late(runtime, client, limit));
}

Task<void> be_given_up(Client& client, TcpProxy& proxy) {
  const auto first = must(co_await client.session(lockstep::Context()), "open");
  StateRecorder recorder(*first);
  const SessionId id = first->id();
  proxy.refuse();
  co_await StateReached(*first, SessionState::kExpired);
  EXPECT_EQ(recorder.states(),
            (std::vector<SessionState>{SessionState::kSuspended, SessionState::kExpired}));
  proxy.accept_again();
  const auto second = must(co_await client.session(lockstep::Context()), "open again");
  EXPECT_NE(second->id(), id);
  must(co_await second->exists("/"), "exists");
}

TEST(ConnectionTest, ASessionWithoutContactIsGivenUp) {
  Runtime runtime;
  TcpProxy proxy(ZookeeperServer::shared().port());
  Options options(proxy.address(), std::chrono::seconds(1));
  options.retry.give_up_session_after = std::chrono::milliseconds(500);
  Client client(runtime, options);
  runtime.run(be_given_up(client, proxy));
}

Task<void> stay_suspended(Runtime& runtime, Client& client, TcpProxy& proxy, Names& names) {
  const auto session = must(co_await client.session(lockstep::Context()), "open");
  proxy.refuse();
  co_await StateReached(*session, SessionState::kSuspended);
  const int asked = names.asked();
  const std::function<bool()> asked_often = [&] { return names.asked() >= asked + 4; };
  co_await until(runtime, asked_often);
  EXPECT_EQ(session->state(), SessionState::kSuspended);
}

TEST_F(NamedServerTest, WithoutALimitASessionIsNotGivenUp) {
  Options options = this->options(proxy, names);
  options.retry = RetryPolicy::forever();
  Client own(runtime, options);
  runtime.run(stay_suspended(runtime, own, proxy, names));
}

// Counts the terms of a candidate.
class Terms final : public LeaderLatch::Listener {
 public:
  void leads(const ClientGrant&) override { ++begun; }
  void leads_no_more(std::optional<Error>) override { ++ended; }
  int begun = 0;
  int ended = 0;
};

Task<void> take_part(LeaderLatch& latch, std::string& ended) {
  const Result<void> result = co_await latch.take_part();
  ended = name(result.error());
}

Task<void> lead_again(Runtime& runtime, Client& client, TcpProxy& proxy) {
  Terms terms;
  LeaderLatch latch(client, "/given-up-leader", LockOptions(), terms);
  std::string ended = "never";
  TaskSet taking_part;
  taking_part.spawn(take_part(latch, ended));
  const auto first = must(co_await client.session(lockstep::Context()), "open");
  const std::function<bool()> leads = [&] { return terms.begun == 1; };
  co_await until(runtime, leads);
  proxy.refuse();
  const std::function<bool()> lost = [&] { return terms.ended == 1; };
  co_await until(runtime, lost);
  // Its latch waits for a connection when the session is given up.
  co_await StateReached(*first, SessionState::kExpired);
  proxy.accept_again();
  const std::function<bool()> leads_again = [&] { return terms.begun == 2 || ended != "never"; };
  co_await until(runtime, leads_again);
  EXPECT_EQ(ended, "never");
}

// The session is given up after its grant is lost: a latch that waits for that session must come
// back on the next one.
TEST(ConnectionTest, ALeaderComesBackAfterAnOutageInWhichItsSessionIsGivenUp) {
  Runtime runtime;
  TcpProxy proxy(ZookeeperServer::shared().port());
  Options options(proxy.address(), std::chrono::seconds(1));
  options.retry.give_up_session_after = std::chrono::seconds(2);
  Client client(runtime, options);
  runtime.run(lead_again(runtime, client, proxy));
}

// A server with its own data, which a test can delete.
class OwnServer {
 public:
  OwnServer() : process_(directory_.path()) {
    process_.configure(support::free_port(), ZookeeperServer::kTickTime, "");
    start();
  }
  void stop() { process_.stop(); }
  void start() {
    process_.start();
    if (!process_.wait_until_ready()) throw std::runtime_error(process_.log());
  }
  void lose_everything() {
    std::filesystem::remove_all(directory_.path() / "data");
    std::filesystem::create_directories(directory_.path() / "data");
  }
  [[nodiscard]] std::string address() const {
    return "127.0.0.1:" + std::to_string(process_.port());
  }

 private:
  support::TemporaryDirectory directory_;
  support::ServerProcess process_;
};

Task<void> outlive_the_ensemble(Runtime& runtime, Client& client, Client& patient,
                                OwnServer& server) {
  const auto first = must(co_await client.session(lockstep::Context()), "open");
  const auto waits = must(co_await patient.session(lockstep::Context()), "open");
  for (int i = 0; i < 50; ++i) {
    must(co_await first->create("/n-", Data(), CreateMode::kEphemeralSequential), "create");
  }
  must(co_await waits->sync("/"), "sync");
  server.stop();
  server.lose_everything();
  server.start();
  co_await StateReached(*first, SessionState::kExpired);
  const auto second = must(co_await client.session(lockstep::Context()), "open again");
  EXPECT_NE(second, first);
  FairMutex mutex(*second, "/lock");
  HeldLock held = must(co_await mutex.acquire(), "acquire");
  EXPECT_EQ(co_await held.release(), ReleaseOutcome::kReleased);

  co_await until_it_says(runtime, patient, "an ensemble that was rebuilt");
  EXPECT_EQ(waits->state(), SessionState::kSuspended);
}

TEST(ConnectionTest, ARebuiltEnsembleGetsANewSession) {
  OwnServer server;
  Runtime runtime;
  Options options(server.address(), std::chrono::seconds(1));
  options.retry = RetryPolicy::forever();
  Client patient(runtime, options);
  options.retry.give_up_session_after = std::chrono::seconds(3);
  Client client(runtime, options);
  runtime.run(outlive_the_ensemble(runtime, client, patient, server));
}

}  // namespace
}  // namespace lockstep::zookeeper
