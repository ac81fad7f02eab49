#include "lockstep/watch.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "lockstep/ok.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

class WatchTest : public ::testing::Test {
 protected:
  WatchTest() {
    for (const char* const path : {"/a", "/b", "/c", "/d"}) create_znode(path);
  }
  void create_znode(Path path) {
    must(simulation_.run(create(*actor_, std::move(path))), "create");
  }
  void remove_znode(Path path) {
    must(simulation_.run(remove(*actor_, std::move(path))), "remove");
  }
  void set(Path path, Data data) {
    must(simulation_.run(set_data(*actor_, std::move(path), std::move(data))), "set_data");
  }
  Watch on_data(Path path) { return must(simulation_.run(watch_data(*watcher_, path)), "watch"); }
  Watch on_exists(Path path) {
    return must(simulation_.run(watch_exists(*watcher_, path)), "watch");
  }
  Watch on_children(Path path) {
    return must(simulation_.run(watch_children(*watcher_, path)), "watch");
  }
  // Returns the event that the watch has reported, if there is one yet.
  std::optional<WatchEvent> event(const Watch& watch) {
    simulation_.settle();
    if (!watch.has_fired()) return std::nullopt;
    return must(simulation_.run(fired(watch)), "fired");
  }
  void expect_event(const Watch& watch, EventType type, const Path& path) {
    EXPECT_EQ(event(watch), std::optional<WatchEvent>(WatchEvent(type, path)));
  }

  Simulation simulation_;
  const std::shared_ptr<FakeSession> actor_ = simulation_.open("actor");
  const std::shared_ptr<FakeSession> watcher_ = simulation_.open("watcher");
};

TEST_F(WatchTest, EachKindReportsItsOwnEvents) {
  const Watch data = on_data("/a");
  const Watch missing = on_exists("/new");
  const Watch list = on_children("/a");
  const Watch gone = on_exists("/b");
  set("/a", "x");
  expect_event(data, EventType::kChanged, "/a");
  EXPECT_FALSE(event(list).has_value());  // A list does not show data.
  create_znode("/a/child");
  expect_event(list, EventType::kChild, "/a");
  create_znode("/new");
  expect_event(missing, EventType::kCreated, "/new");
  remove_znode("/b");
  expect_event(gone, EventType::kDeleted, "/b");
}

TEST_F(WatchTest, FiresOnce) {
  const Watch first = on_data("/a");
  set("/a", "1");
  expect_event(first, EventType::kChanged, "/a");
  const Watch second = on_data("/a");
  remove_znode("/a");
  expect_event(first, EventType::kChanged, "/a");
  expect_event(second, EventType::kDeleted, "/a");
}

TEST_F(WatchTest, EveryWatchOfAZnodeHearsOfItsDeletion) {
  const Watch data = on_data("/a");
  const Watch again = on_data("/a");
  const Watch exists = on_exists("/a");
  const Watch list = on_children("/a");
  remove_znode("/a");
  for (const Watch* const watch : {&data, &again, &exists, &list}) {
    expect_event(*watch, EventType::kDeleted, "/a");
  }
  EXPECT_TRUE(watcher_->waiting().watches.empty());
}

TEST_F(WatchTest, FailedReadLeavesNoWatch) {
  EXPECT_EQ(error_of(simulation_.run(watch_data(*watcher_, "/new"))), Error::kNoNode);
  EXPECT_EQ(error_of(simulation_.run(watch_children(*watcher_, "/new"))), Error::kNoNode);
  const Watch missing = on_exists("/new");
  EXPECT_EQ(watcher_->waiting().watches, std::vector<Path>{"/new"});
}

Task<Result<bool>> is_there(Session& session, Path path) {
  const auto read = co_await ok(session.exists_watched(path));
  co_return read.value.has_value();
}

// ok() accepts the answers that exists_watched accepts.
TEST_F(WatchTest, MissingZnodeIsAnAnswerToAWatchingExists) {
  EXPECT_EQ(simulation_.run(is_there(*watcher_, "/a")), Result<bool>(true));
  EXPECT_EQ(simulation_.run(is_there(*watcher_, "/new")), Result<bool>(false));
  EXPECT_EQ(simulation_.run(is_there(*watcher_, "a")), Result<bool>(failure(Error::kBadArguments)));
}

TEST_F(WatchTest, EventComesBeforeDataThatShowIt) {
  const Watch watch = on_data("/a");
  simulation_.hold_inbox(*watcher_);
  set("/a", "new");
  const auto read = simulation_.start(get_data(*watcher_, "/a"));
  simulation_.settle();
  simulation_.let_go(*watcher_);
  while (!watch.has_fired()) {
    EXPECT_FALSE(read.done());
    run_steps(simulation_, 1);
  }
  EXPECT_FALSE(read.done());
  simulation_.settle();
  EXPECT_EQ(read.result()->data, Data("new"));
}

TEST_F(WatchTest, OwnChangeIsReportedBeforeItIsAnswered) {
  const Watch watch = on_data("/a");
  const auto set = simulation_.start(set_data(*watcher_, "/a", "mine"));
  while (!watch.has_fired()) run_steps(simulation_, 1);
  EXPECT_FALSE(set.done());
  simulation_.settle();
  EXPECT_TRUE(set.done());
}

// ----------------------------------------------------------------- across a lost connection

TEST_F(WatchTest, DataWatchComparesStatesAfterAnAbsence) {
  const Watch changed = on_data("/a");
  const Watch removed = on_data("/b");
  const Watch replaced = on_data("/c");
  const Watch untouched = on_data("/d");
  disconnect(simulation_, *watcher_);
  set("/a", "1");
  set("/a", "2");
  remove_znode("/b");
  remove_znode("/c");
  create_znode("/c");
  EXPECT_FALSE(changed.has_fired());
  reconnect(simulation_, *watcher_);
  expect_event(changed, EventType::kChanged, "/a");
  expect_event(removed, EventType::kDeleted, "/b");
  expect_event(replaced, EventType::kChanged, "/c");  // No client saw it missing.
  EXPECT_FALSE(event(untouched).has_value());
  set("/d", "x");
  expect_event(untouched, EventType::kChanged, "/d");
}

TEST_F(WatchTest, ExistsWatchComparesStatesAfterAnAbsence) {
  const Watch created = on_exists("/new");
  const Watch passing = on_exists("/passing");
  const Watch present = on_exists("/a");
  disconnect(simulation_, *watcher_);
  create_znode("/new");
  create_znode("/passing");
  remove_znode("/passing");
  remove_znode("/a");
  reconnect(simulation_, *watcher_);
  expect_event(created, EventType::kCreated, "/new");
  EXPECT_FALSE(event(passing).has_value());
  expect_event(present, EventType::kDeleted, "/a");
  create_znode("/passing");
  expect_event(passing, EventType::kCreated, "/passing");
}

TEST_F(WatchTest, ChildWatchComparesStatesAfterAnAbsence) {
  create_znode("/c/child");
  const Watch filled = on_children("/a");
  const Watch removed = on_children("/b");
  const Watch emptied = on_children("/c");
  const Watch untouched = on_children("/d");
  disconnect(simulation_, *watcher_);
  create_znode("/a/child");
  remove_znode("/b");
  remove_znode("/c/child");
  set("/d", "x");
  reconnect(simulation_, *watcher_);
  expect_event(filled, EventType::kChild, "/a");
  expect_event(removed, EventType::kDeleted, "/b");
  expect_event(emptied, EventType::kChild, "/c");
  EXPECT_FALSE(event(untouched).has_value());
  create_znode("/d/child");
  expect_event(untouched, EventType::kChild, "/d");
}

TEST_F(WatchTest, MissedEventComesBeforeRepliesToQueuedRequests) {
  const Watch watch = on_data("/a");
  disconnect(simulation_, *watcher_);
  set("/a", "new");
  const auto read = simulation_.start(get_data(*watcher_, "/a"));
  simulation_.let_go(*watcher_);
  while (!watch.has_fired()) {
    EXPECT_FALSE(read.done());
    run_steps(simulation_, 1);
  }
  EXPECT_EQ(watcher_->state(), SessionState::kConnected);
  simulation_.settle();
  EXPECT_EQ(read.result()->data, Data("new"));
}

TEST_F(WatchTest, SurvivesManyAbsences) {
  const Watch watch = on_data("/a");
  for (int round = 0; round < 3; ++round) {
    simulation_.cut(*watcher_);
    simulation_.settle();
    EXPECT_FALSE(watch.has_fired());
  }
  set("/a", "x");
  expect_event(watch, EventType::kChanged, "/a");
}

// A reply shows how far this session has seen (Z53).
TEST_F(WatchTest, ChangeThatAReplyHasShownIsNotReportedAgain) {
  const Watch early = on_data("/a");
  set("/b", "x");
  const Watch late = on_data("/b");  // Its reply is newer than the change.
  simulation_.cut(*watcher_);
  simulation_.settle();
  EXPECT_FALSE(early.has_fired());
  EXPECT_FALSE(late.has_fired());
}

TEST_F(WatchTest, ReadWhoseReplyIsLostLeavesNoWatch) {
  const auto read = simulation_.start(watch_data(*watcher_, "/a"));
  simulation_.cut(*watcher_, 1);
  simulation_.settle();
  EXPECT_EQ(error_of(read.result()), Error::kConnectionLoss);
  EXPECT_TRUE(watcher_->waiting().watches.empty());
  set("/a", "x");
  simulation_.settle();
}

// ------------------------------------------------------------------------- holding and waiting

TEST_F(WatchTest, ArmedWatchThatIsDroppedHasNoEffect) {
  const Watch kept = on_data("/a");
  {
    const Watch dropped = on_data("/a");
  }
  {
    const Watch dropped = on_exists("/new");
  }
  EXPECT_EQ(watcher_->waiting().watches, std::vector<Path>{"/a"});
  simulation_.cut(*watcher_);
  simulation_.settle();
  create_znode("/new");
  set("/a", "x");
  expect_event(kept, EventType::kChanged, "/a");
}

TEST_F(WatchTest, WatchDroppedBeforeTheReplyHasNoEffect) {
  static_cast<void>(watcher_->get_data_watched("/a"));
  simulation_.settle();
  set("/a", "x");
  simulation_.settle();
  EXPECT_TRUE(watcher_->waiting().watches.empty());
}

TEST_F(WatchTest, WaitThatEndedEarlyLeavesTheWatchArmed) {
  const Watch watch = on_data("/a");
  const auto timed_out = simulation_.run(fired(watch, simulation_.now() + 1s));
  EXPECT_EQ(error_of(timed_out), Error::kTimedOut);
  const auto waiting = simulation_.start(fired(watch));
  set("/a", "x");
  simulation_.run_until(waiting);
  EXPECT_EQ(waiting.result()->type(), EventType::kChanged);
}

TEST_F(WatchTest, EndsWithItsSession) {
  const Watch closing = on_data("/a");
  const auto waiting = simulation_.start(fired(closing));
  must(simulation_.run(close(*watcher_)), "close");
  EXPECT_EQ(error_of(waiting.result()), Error::kClosing);
  EXPECT_TRUE(closing.has_fired());

  const auto victim = simulation_.open("victim");
  const Watch expiring = must(simulation_.run(watch_data(*victim, "/a")), "watch");
  simulation_.kill(*victim);
  simulation_.settle();
  EXPECT_EQ(error_of(simulation_.run(fired(expiring))), Error::kSessionExpired);
}

TEST_F(WatchTest, OutlivesItsSession) {
  std::shared_ptr<FakeSession> session = simulation_.open("short-lived");
  const Watch watch = must(simulation_.run(watch_data(*session, "/a")), "watch");
  session.reset();
  EXPECT_TRUE(watch.has_fired());
  EXPECT_EQ(error_of(simulation_.run(fired(watch))), Error::kClosing);
}

TEST_F(WatchTest, MovingItMovesTheRegistration) {
  Watch first = on_data("/a");
  Watch second = std::move(first);
  EXPECT_FALSE(first.has_fired());
  Watch third;
  EXPECT_FALSE(third.has_fired());
  third = std::move(second);
  set("/a", "x");
  expect_event(third, EventType::kChanged, "/a");
}

TEST(WatchEventTest, EveryTypeHasItsNameAndNumber) {
  EXPECT_EQ(name(EventType::kCreated), "created");
  EXPECT_EQ(name(EventType::kDeleted), "deleted");
  EXPECT_EQ(name(EventType::kChanged), "changed");
  EXPECT_EQ(name(EventType::kChild), "child");
  EXPECT_EQ(static_cast<int>(EventType::kCreated), 1);
  EXPECT_EQ(static_cast<int>(EventType::kDeleted), 2);
  EXPECT_EQ(static_cast<int>(EventType::kChanged), 3);
  EXPECT_EQ(static_cast<int>(EventType::kChild), 4);
}

}  // namespace
}  // namespace lockstep
