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

class WatchTest : public SimulatedTest {
 protected:
  WatchTest() {
    for (const char* const path : {"/a", "/b"}) create_znode(path);
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

  const std::shared_ptr<FakeSession> actor_ = simulation_.open("actor");
  const std::shared_ptr<FakeSession> watcher_ = simulation_.open("watcher");
};

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
