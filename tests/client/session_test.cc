#include "lockstep/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/fake/session.h"
#include "lockstep/ok.h"
#include "lockstep/sleep.h"
#include "support/by_hand.h"
#include "support/session_waits.h"

namespace lockstep {
namespace {

using namespace unit;

// The events in the order in which they happen.
using Journal = std::vector<std::string>;

template <class T>
Task<void> write_down(Journal& journal, std::string what, Task<Result<T>> task) {
  const Result<T> result = co_await std::move(task);
  journal.push_back(what + ": " + std::string(result ? "ok" : name(result.error())));
}

// Records every change of state, and acts at each.
class Listener final : public SessionListener {
 public:
  Listener(Session& session, Journal& journal, std::string called)
      : session_(session), journal_(journal), called_(std::move(called)) {
    session_.add_listener(*this);
  }
  ~Listener() { drop(); }

  void drop() {
    if (std::exchange(listening_, false)) session_.remove_listener(*this);
  }
  // Removes this listener when notified.
  Listener* to_drop = nullptr;
  // Adds this listener when notified.
  std::unique_ptr<Listener>* to_add = nullptr;

 private:
  void session_changed(SessionState state) override {
    journal_.push_back(called_ + ": " + std::string(name(state)));
    if (to_drop) to_drop->drop();
    if (to_add) *to_add = std::make_unique<Listener>(session_, journal_, "late");
  }

  Session& session_;
  Journal& journal_;
  std::string called_;
  bool listening_ = true;
};

class SessionTest : public SimulatedTest {
 protected:
  template <class T>
  void start(std::string what, Task<Result<T>> task) {
    simulation_.start(write_down(journal_, std::move(what), std::move(task)));
  }
  // Returns only the events during `action`.
  Journal journal_since(const std::function<void()>& action) {
    journal_.clear();
    action();
    return journal_;
  }

  Journal journal_;
  const std::shared_ptr<FakeSession> session_ = simulation_.open("A");
};

TEST_F(SessionTest, PipelinedRequestsAreAppliedAndAnsweredInOrder) {
  simulation_.hold_inbox(*session_);
  start("create", create(*session_, "/a"));
  start("set", set_data(*session_, "/a", "x"));
  start("again", create(*session_, "/a"));
  start("remove", remove(*session_, "/a"));
  start("get", get_data(*session_, "/a"));
  start("sync", sync(*session_, "/a"));
  simulation_.settle();
  EXPECT_TRUE(journal_.empty());
  let_go_and_settle(*session_);
  EXPECT_EQ(journal_, (Journal{"create: ok", "set: ok", "again: node exists", "remove: ok",
                               "get: no node", "sync: ok"}));
}

TEST_F(SessionTest, ListenersHearOfALossBeforeTheRequestsFailOldestFirst) {
  const Listener listener(*session_, journal_, "listener");
  simulation_.hold_inbox(*session_);
  start("first", create(*session_, "/a"));
  start("second", get_data(*session_, "/a"));
  simulation_.settle();
  simulation_.cut(*session_);
  let_go_and_settle(*session_);
  EXPECT_EQ(journal_, (Journal{"listener: suspended", "first: connection loss",
                               "second: connection loss", "listener: connected"}));
}

TEST_F(SessionTest, CloseFailsWhatIsPendingOnceAndEndsTheWatches) {
  must(simulation_.run(create(*session_, "/a")), "create");
  const Watch watch = must(simulation_.run(watch_data(*session_, "/a")), "watch");
  const Listener listener(*session_, journal_, "listener");
  simulation_.hold_inbox(*session_);
  start("get", get_data(*session_, "/a"));
  start("watch", fired(watch));
  simulation_.settle();
  start("close", close(*session_));
  start("late", get_data(*session_, "/a"));
  EXPECT_EQ(journal_,
            (Journal{"listener: closed", "watch: closing", "get: closing", "late: closing"}));
  EXPECT_TRUE(watch.has_fired());
  let_go_and_settle(*session_);
  EXPECT_EQ(journal_.size(), 5U);
  EXPECT_EQ(journal_.back(), "close: ok");
  EXPECT_EQ(session_->end_error(), Error::kClosing);
}

// The server learns nothing: it keeps the session until it expires.
TEST_F(SessionTest, CloseWithoutAConnectionEndsAtOnceAndTheSessionExpires) {
  must(simulation_.run(create(*session_, "/e", Data(), CreateMode::kEphemeral)), "create");
  disconnect(simulation_, *session_);
  EXPECT_TRUE(simulation_.run(close(*session_)).has_value());
  EXPECT_EQ(session_->state(), SessionState::kClosed);
  reconnect(simulation_, *session_);
  EXPECT_EQ(session_->state(), SessionState::kClosed);
  EXPECT_TRUE(simulation_.exists("/e"));
  simulation_.advance(session_->timeout() + 2s);
  EXPECT_FALSE(simulation_.exists("/e"));
}

TEST_F(SessionTest, CloseBeforeTheFirstConnectionEndsAtOnce) {
  FakeSession fresh(simulation_.client("A").process(), 10s);
  start("queued", create(fresh, "/a"));
  start("close", close(fresh));
  ASSERT_EQ(journal_.size(), 2U);
  EXPECT_NE(std::ranges::find(journal_, "queued: closing"), journal_.end());
  EXPECT_NE(std::ranges::find(journal_, "close: ok"), journal_.end());
  simulation_.run();
  EXPECT_EQ(fresh.state(), SessionState::kClosed);
  EXPECT_FALSE(simulation_.exists("/a"));
}

TEST_F(SessionTest, CloseWhoseConnectionBreaksEnds) {
  start("close", close(*session_));
  simulation_.cut(*session_);
  simulation_.settle();
  EXPECT_EQ(journal_, Journal{"close: connection loss"});
  EXPECT_EQ(session_->state(), SessionState::kClosed);
}

TEST_F(SessionTest, CloseThatIsNotAwaitedIsSentToo) {
  must(simulation_.run(create(*session_, "/e", Data(), CreateMode::kEphemeral)), "create");
  static_cast<void>(session_->close());
  simulation_.settle();
  EXPECT_FALSE(simulation_.exists("/e"));
}

TEST(SessionEndTest, DestroyingAConnectedSessionClosesIt) {
  Simulation simulation;
  std::shared_ptr<FakeSession> session = simulation.open("A");
  must(simulation.run(create(*session, "/e", Data(), CreateMode::kEphemeral)), "create");
  session.reset();
  simulation.settle();
  EXPECT_FALSE(simulation.exists("/e"));
}

TEST(SessionEndTest, DestroyingASessionThatIsAwayLetsItExpire) {
  Simulation simulation;
  std::shared_ptr<FakeSession> session = simulation.open("A");
  must(simulation.run(create(*session, "/e", Data(), CreateMode::kEphemeral)), "create");
  disconnect(simulation, *session);
  simulation.let_go(*session);
  session.reset();
  simulation.settle();
  EXPECT_TRUE(simulation.exists("/e"));
  simulation.advance(20s);
  EXPECT_FALSE(simulation.exists("/e"));
}

TEST_F(SessionTest, NothingIsSentAfterTheExpiry) {
  simulation_.kill(*session_);
  simulation_.settle();
  const RequestCounter requests(simulation_);
  EXPECT_EQ(error_of(simulation_.run(create(*session_, "/a"))), Error::kSessionExpired);
  EXPECT_EQ(requests.total(), 0U);
}

TEST_F(SessionTest, RequestsMadeWhileAwayAreSentAfterwardsInOrder) {
  disconnect(simulation_, *session_);
  start("create", create(*session_, "/a"));
  start("get", get_data(*session_, "/a"));
  EXPECT_EQ(session_->waiting().requests.size(), 2U);
  reconnect(simulation_, *session_);
  EXPECT_EQ(journal_, (Journal{"create: ok", "get: ok"}));
}

TEST_F(SessionTest, RequestsMadeWhileAwayFailWithTheNextAttemptToConnect) {
  disconnect(simulation_, *session_);
  start("create", create(*session_, "/a"));
  simulation_.cut(*session_);
  let_go_and_settle(*session_);
  EXPECT_EQ(journal_, Journal{"create: connection loss"});
  EXPECT_EQ(session_->state(), SessionState::kConnected);
  EXPECT_FALSE(simulation_.exists("/a"));
}

// Counts how often a client has set its watches again.
class Rearmings final : public fakezk::Tracer {
 public:
  void step(const fakezk::Step& step) override {
    if (step.received && step.received->kind == fakezk::ServerMessage::Kind::kWatchesSet) ++count;
  }
  void note(std::uint32_t, std::string_view) override {}
  int count = 0;
};

// zookeeper.c, data_result_checker and child_result_checker: a watcher of a read that has failed
// is dropped; only exists_result_checker keeps one, on ZNONODE.
TEST_F(SessionTest, Z49AReadThatFailsRegistersNothing) {
  Rearmings rearmings;
  simulation_.world().set_tracer(&rearmings);
  EXPECT_EQ(error_of(simulation_.run(watch_data(*session_, "/missing"))), Error::kNoNode);
  EXPECT_EQ(error_of(simulation_.run(watch_children(*session_, "/missing"))), Error::kNoNode);
  const auto lost = simulation_.start(watch_data(*session_, "/"));
  simulation_.cut(*session_, 1);
  simulation_.settle();
  EXPECT_EQ(error_of(lost.result()), Error::kConnectionLoss);
  EXPECT_EQ(rearmings.count, 0);
  const Watch watch = must(simulation_.run(watch_exists(*session_, "/missing")), "watch");
  simulation_.cut(*session_);
  simulation_.settle();
  EXPECT_EQ(rearmings.count, 1);
  simulation_.world().set_tracer(nullptr);
}

TEST_F(SessionTest, MalformedPathIsRefusedBeforeAnythingIsSent) {
  const RequestCounter requests(simulation_);
  for (const char* const path : {"", "a", "/a/", "//", "/a//b", "/./a", "/a/..", "/a\x01"}) {
    EXPECT_EQ(error_of(simulation_.run(create(*session_, path))), Error::kBadArguments) << path;
    EXPECT_EQ(error_of(simulation_.run(watch_data(*session_, path))), Error::kBadArguments) << path;
  }
  EXPECT_EQ(requests.total(), 0U);
}

TEST_F(SessionTest, TimeoutIsWhatTheServerGrants) {
  EXPECT_EQ(session_->timeout(), 10s);
  EXPECT_EQ(simulation_.open("short", 1ms)->timeout(), 4s);  // Two ticks at least,
  EXPECT_EQ(simulation_.open("long", 1h)->timeout(), 40s);   // twenty at most.
}

TEST_F(SessionTest, ContactIsTheTimeOfTheLastAnswer) {
  simulation_.advance(1s);
  must(simulation_.run(sync(*session_, "/")), "sync");
  const TimePoint contact = simulation_.now();
  EXPECT_EQ(session_->last_contact(), contact);
  simulation_.advance(1s);
  disconnect(simulation_, *session_);
  EXPECT_EQ(session_->last_contact(), contact);
  reconnect(simulation_, *session_);
  EXPECT_EQ(session_->last_contact(), contact + 1s);
}

TEST_F(SessionTest, WaitingReportsRequestsAndHeldWatches) {
  const Watch held = must(simulation_.run(watch_exists(*session_, "/held")), "watch");
  {
    const Watch dropped = must(simulation_.run(watch_exists(*session_, "/dropped")), "watch");
  }
  start("get", get_data(*session_, "/x"));
  static_cast<void>(session_->get_data("/abandoned"));
  const FakeSession::Waiting waiting = session_->waiting();
  ASSERT_EQ(waiting.requests.size(), 1U);
  EXPECT_EQ(waiting.requests[0], (std::pair<OpCode, Path>(OpCode::kGetData, "/x")));
  EXPECT_EQ(waiting.watches, std::vector<Path>{"/held"});
}

// -------------------------------------------------------------------------------- chroots

Request outside(const Path& path) {
  Request request(OpCode::kCreate, path);
  request.outside_chroot = true;
  return request;
}

Task<Result<Created>> create_outside(Session& session, Path path) {
  Operation<Created> create(session, outside(path), Context());
  co_return co_await create;
}

Task<std::vector<Path>> created_by(Session& session, Transaction transaction) {
  const auto results = co_await session.multi(std::move(transaction));
  std::vector<Path> paths;
  if (!results) co_return paths;
  for (const OpResult& result : *results) paths.push_back(result.path);
  co_return paths;
}

TEST_F(SessionTest, AnOperationOfAMultiMayBeOutsideTheChroot) {
  const auto session = simulation_.open("B", 10s, "/app");
  Transaction both;
  both.add(outside("/app"));
  both.add(Request(OpCode::kCreate, "/a"));
  const std::vector<Path> created = simulation_.run(created_by(*session, std::move(both)));
  EXPECT_EQ(created, (std::vector<Path>{"/", "/a"}));
  EXPECT_TRUE(simulation_.exists("/app/a"));
  EXPECT_FALSE(simulation_.exists("/app/app"));
}

TEST_F(SessionTest, APathThatOnlyBeginsLikeTheChrootIsOutside) {
  const auto session = simulation_.open("B", 10s, "/app");
  const Created beside = must(simulation_.run(create_outside(*session, "/app2")), "create");
  EXPECT_EQ(beside.path, Path("/app2"));
}

// ------------------------------------------------------------------------------- listeners

TEST_F(SessionTest, ListenerMayRemoveItselfDuringItsCall) {
  const Listener first(*session_, journal_, "first");
  Listener second(*session_, journal_, "second");
  const Listener third(*session_, journal_, "third");
  second.to_drop = &second;
  simulation_.cut(*session_);
  simulation_.settle();
  EXPECT_EQ(journal_, (Journal{"third: suspended", "second: suspended", "first: suspended",
                               "third: connected", "first: connected"}));
}

TEST_F(SessionTest, ListenerMayRemoveAnotherOneDuringItsCall) {
  Listener first(*session_, journal_, "first");
  Listener second(*session_, journal_, "second");
  const Listener third(*session_, journal_, "third");
  second.to_drop = &first;  // Drops the listener that comes next,
  EXPECT_EQ(journal_since([&] {
              simulation_.cut(*session_);
              run_steps(simulation_, 1);
            }),
            (Journal{"third: suspended", "second: suspended"}));
  Listener fourth(*session_, journal_, "fourth");
  second.to_drop = &fourth;  // and one that was notified before.
  EXPECT_EQ(journal_since([&] { simulation_.settle(); }),
            (Journal{"fourth: connected", "third: connected", "second: connected"}));
  simulation_.kill(*session_);
  EXPECT_EQ(
      journal_since([&] { simulation_.settle(); }),
      (Journal{"third: suspended", "second: suspended", "third: expired", "second: expired"}));
}

TEST_F(SessionTest, ListenerAddedDuringACallHearsTheNextChange) {
  std::unique_ptr<Listener> late;
  Listener listener(*session_, journal_, "listener");
  listener.to_add = &late;
  simulation_.cut(*session_);
  run_steps(simulation_, 1);
  EXPECT_EQ(journal_, Journal{"listener: suspended"});
  listener.to_add = nullptr;
  simulation_.settle();
  EXPECT_EQ(journal_, (Journal{"listener: suspended", "late: connected", "listener: connected"}));
}

class Closer final : public SessionListener {
 public:
  explicit Closer(Session& session) : session_(session) { session_.add_listener(*this); }
  ~Closer() { session_.remove_listener(*this); }

 private:
  void session_changed(SessionState state) override {
    if (state == SessionState::kSuspended) static_cast<void>(session_.close());
  }
  Session& session_;
};

TEST_F(SessionTest, ListenerMayCloseTheSessionWhenItIsSuspended) {
  const Listener after(*session_, journal_, "after");
  const Closer closer(*session_);
  const Listener before(*session_, journal_, "before");
  start("get", get_data(*session_, "/a"));
  simulation_.cut(*session_);
  simulation_.run();
  EXPECT_EQ(session_->state(), SessionState::kClosed);
  EXPECT_EQ(journal_,
            (Journal{"before: suspended", "before: closed", "after: closed", "get: closing"}));
}

// ------------------------------------------------------------------------------- connected()

TEST_F(SessionTest, ConnectedResolvesAtOnceOnAConnection) {
  EXPECT_TRUE(simulation_.run(connected(*session_)).has_value());
  EXPECT_TRUE(simulation_.run(connected(*session_, simulation_.now())).has_value());
}

TEST_F(SessionTest, ConnectedWaitsForTheConnectionOrTheEnd) {
  disconnect(simulation_, *session_);
  start("one", connected(*session_));
  start("two", connected(*session_));
  simulation_.advance(2s);
  EXPECT_TRUE(journal_.empty());
  reconnect(simulation_, *session_);
  ASSERT_EQ(journal_.size(), 2U);
  EXPECT_NE(journal_[0], journal_[1]);
  EXPECT_TRUE(journal_[0].ends_with(": ok"));
  EXPECT_TRUE(journal_[1].ends_with(": ok"));

  disconnect(simulation_, *session_);
  journal_.clear();
  start("three", connected(*session_));
  simulation_.kill(*session_);
  reconnect(simulation_, *session_);
  EXPECT_EQ(journal_, Journal{"three: session expired"});
}

TEST_F(SessionTest, ConnectedEndsWithItsContext) {
  disconnect(simulation_, *session_);
  std::stop_source stop;
  start("deadline", connected(*session_, simulation_.now() + 1s));
  start("stop", connected(*session_, stop.get_token()));
  start("over", connected(*session_, simulation_.now()));
  EXPECT_EQ(journal_, Journal{"over: timed out"});
  simulation_.advance(1s);
  stop.request_stop();
  simulation_.settle();
  EXPECT_EQ(journal_, (Journal{"over: timed out", "deadline: timed out", "stop: cancelled"}));
  reconnect(simulation_, *session_);
  EXPECT_EQ(journal_.size(), 3U);
}

// ------------------------------------------------------------------------------- background

class Flag {
 public:
  explicit Flag(bool& destroyed) : destroyed_(destroyed) {}
  Flag(const Flag&) = delete;
  Flag& operator=(const Flag&) = delete;
  ~Flag() { destroyed_ = true; }

 private:
  bool& destroyed_;
};

Task<void> hold_until_the_clock_stops(Executor& executor, bool& destroyed) {
  const Flag flag(destroyed);
  static_cast<void>(co_await sleep_for(executor, 1h));
}

TEST(SessionEndTest, BackgroundTasksEndWithTheSession) {
  Simulation simulation;
  std::shared_ptr<FakeSession> session = simulation.open("A");
  bool destroyed = false;
  session->in_background(hold_until_the_clock_stops(session->executor(), destroyed));
  simulation.advance(1s);
  EXPECT_FALSE(destroyed);
  session.reset();
  EXPECT_TRUE(destroyed);
}

}  // namespace
}  // namespace lockstep
