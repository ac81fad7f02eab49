#include "lockstep/take_place.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lockstep/fakezk/random_stream.h"
#include "lockstep/random.h"
#include "lockstep/sequence.h"
#include "lockstep/task_set.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;
using fake::FakeClient;

constexpr std::size_t kGuidLength = 36;

class TakePlaceTest : public SimulatedTest {
 protected:
  TakePlaceTest() { must(simulation_.run(create(*other_, "/lock")), "create /lock"); }

  Task<Result<Created>> place(Context context = Context()) {
    return place_in(*session_, "/lock", std::move(context), Data("mine"));
  }
  // The only contender; "" if there is none or more than one.
  std::string only_contender() {
    const std::vector<std::string> names = children(simulation_, "/lock");
    return names.size() == 1 ? "/lock/" + names.front() : "";
  }
  void expect_owns(const Result<Created>& created) {
    ASSERT_TRUE(created.has_value()) << name(created.error());
    EXPECT_EQ(created->path, only_contender());
    EXPECT_EQ(created->stat.ephemeral_owner, session_->id());
    EXPECT_GT(created->stat.czxid, 0);
  }

  const std::shared_ptr<FakeSession> other_ = simulation_.open("other");
  const std::shared_ptr<FakeSession> session_ = simulation_.open("A");
};

TEST_F(TakePlaceTest, NameIsGuidMarkAndNumber) {
  const Result<Created> first = simulation_.run(place());
  expect_owns(first);
  const std::string_view name = first->path.name();
  ASSERT_EQ(name.size(), std::string_view("_c_").size() + kGuidLength + 16);
  EXPECT_TRUE(name.starts_with("_c_"));
  EXPECT_TRUE(name.ends_with("-lock-0000000000"));
  EXPECT_EQ(znode(simulation_, first->path)->data, Data("mine"));
  const Result<Created> second = simulation_.run(place());
  EXPECT_NE(name.substr(3, kGuidLength), second->path.name().substr(3, kGuidLength));
}

TEST_F(TakePlaceTest, LostReplyAdoptsTheZnodeThatExists) {
  const auto created = simulation_.start(place());
  simulation_.cut(*session_, 1, 0);  // Applied, but the client does not learn of it.
  EXPECT_NE(only_contender(), "");
  simulation_.run_until(created);
  expect_owns(created.result());
  EXPECT_EQ(created.result()->stat.data_length, 4);
  EXPECT_EQ(creates_under(simulation_, "/lock"), 1U);
}

TEST_F(TakePlaceTest, LostRequestIsSentAgain) {
  const auto created = simulation_.start(place());
  simulation_.cut(*session_);
  simulation_.run_until(created);
  expect_owns(created.result());
  EXPECT_EQ(creates_under(simulation_, "/lock"), 1U);
}

// The connection breaks twice, with any request in flight, of which any part arrives.
TEST_F(TakePlaceTest, CreatesExactlyOneWhereverTwoCutsFall) {
  constexpr int kSteps = 9;
  for (int first = 0; first < kSteps; ++first) {
    for (int second = 0; second < kSteps; ++second) {
      for (unsigned kept = 0; kept < 4; ++kept) {
        SCOPED_TRACE(testing::Message() << first << ' ' << second << ' ' << kept);
        const auto session = simulation_.open("B");
        const auto created = simulation_.start(place_in(*session, "/lock"));
        for (const int steps : {first, second}) {
          run_steps(simulation_, steps);
          const auto under_way = simulation_.world().network()[session->link()].requests.size();
          simulation_.cut(*session, (kept & 1) != 0 ? static_cast<std::uint32_t>(under_way) : 0,
                          (kept & 2) != 0 ? 9 : 0);
        }
        simulation_.run_until(created);
        ASSERT_TRUE(created.result().has_value()) << name(created.result().error());
        EXPECT_EQ(created.result()->path, only_contender());
        EXPECT_EQ(created.result()->stat.ephemeral_owner, session->id());
        simulation_.settle();
        must(simulation_.run(close(*session)), "close");
      }
    }
  }
}

TEST_F(TakePlaceTest, MissingAncestorsAreCreatedAsContainers) {
  const Result<Created> created = simulation_.run(place_in(*session_, "/x/y/z"));
  ASSERT_TRUE(created.has_value());
  for (const char* const path : {"/x", "/x/y", "/x/y/z"}) {
    ASSERT_NE(znode(simulation_, path), nullptr) << path;
    EXPECT_EQ(znode(simulation_, path)->lifetime, fakezk::Lifetime::kContainer) << path;
    EXPECT_EQ(znode(simulation_, path)->ephemeral_owner, 0) << path;
  }
  EXPECT_EQ(children(simulation_, "/x/y/z").size(), 1U);
}

// A container may be reaped between the look for a parent and the create (zoo 22).
TEST_F(TakePlaceTest, ParentThatVanishesIsCreatedAgain) {
  simulation_.hold(*session_, OpCode::kCreate);
  const auto created = start_and_settle(place());
  must(simulation_.run(remove(*other_, "/lock")), "remove /lock");
  simulation_.let_go(*session_);
  simulation_.run_until(created);
  expect_owns(created.result());
}

TEST_F(TakePlaceTest, DeadlineWhileDisconnectedLeavesNoOrphan) {
  const TimePoint deadline = simulation_.now() + 3s;
  const auto created = simulation_.start(place(deadline));
  disconnect(simulation_, *session_, 1);  // Applied.
  while (!created.done()) simulation_.advance(500ms);
  EXPECT_EQ(error_of(created.result()), Error::kTimedOut);
  EXPECT_EQ(simulation_.now(), deadline);
  EXPECT_NE(only_contender(), "");  // It still exists: no client can delete it yet.
  reconnect(simulation_, *session_);
  EXPECT_TRUE(children(simulation_, "/lock").empty());
  EXPECT_TRUE(session_->background().empty());
}

TEST_F(TakePlaceTest, CancelDuringTheCreateLeavesNoOrphan) {
  std::stop_source stop;
  simulation_.hold(*session_, OpCode::kCreate);
  const auto created = start_and_settle(place(stop.get_token()));
  stop.request_stop();
  simulation_.run_until(created);
  EXPECT_EQ(error_of(created.result()), Error::kCancelled);
  let_go_and_settle(*session_);
  EXPECT_EQ(creates_under(simulation_, "/lock"), 1U);  // It did arrive.
  EXPECT_TRUE(children(simulation_, "/lock").empty());
}

TEST_F(TakePlaceTest, DestroyedWhileItWaitsLeavesNoOrphan) {
  TaskSet tasks;
  tasks.spawn(ignore(place()));
  run_steps(simulation_, 1);
  EXPECT_NE(only_contender(), "");
  tasks.clear();
  simulation_.settle();
  EXPECT_TRUE(children(simulation_, "/lock").empty());
  EXPECT_TRUE(session_->background().empty());
}

TEST_F(TakePlaceTest, DestroyedBeforeItStartsDoesNothing) {
  const RequestCounter requests(simulation_);
  static_cast<void>(place());
  simulation_.settle();
  EXPECT_EQ(requests.total(), 0U);
}

TEST_F(TakePlaceTest, EndedContextCreatesNothing) {
  const auto created = simulation_.run(place(simulation_.now()));
  EXPECT_EQ(error_of(created), Error::kTimedOut);
  simulation_.settle();
  EXPECT_EQ(creates_under(simulation_, "/lock"), 0U);
}

TEST_F(TakePlaceTest, ExpiryEndsItAndTheNextSessionIsLeftAlone) {
  const auto created = simulation_.start(place());
  disconnect(simulation_, *session_, 1);
  simulation_.expire(*session_);
  const auto next = simulation_.open("A");
  must(simulation_.run(create(*next, "/lock/next", Data(), CreateMode::kEphemeral)), "create");
  const RequestCounter requests(simulation_);
  reconnect(simulation_, *session_);
  simulation_.settle();
  EXPECT_EQ(error_of(created.result()), Error::kSessionExpired);
  EXPECT_EQ(children(simulation_, "/lock"), std::vector<std::string>{"next"});
  EXPECT_EQ(requests.total(), 0U);
}

// Zoo 10: a znode with our GUID is not ours if its session is about to die.
TEST_F(TakePlaceTest, ZnodeOfAnotherSessionIsNotAdopted) {
  simulation_.client("A").process().random().reseed(7);
  fakezk::RandomStream same(7);
  const Path foreign("/lock/_c_" + std::string(Guid(same).view()) + "-lock-0000000099");
  must(simulation_.run(create(*other_, foreign, Data(), CreateMode::kEphemeral)), "create");
  const auto created = simulation_.start(place());
  simulation_.cut(*session_);
  simulation_.run_until(created);
  ASSERT_TRUE(created.result().has_value());
  EXPECT_NE(created.result()->path, foreign);
  EXPECT_EQ(created.result()->path.name().substr(0, 39), foreign.name().substr(0, 39));
  EXPECT_EQ(znode(simulation_, created.result()->path)->ephemeral_owner, session_->id());
}

TEST_F(TakePlaceTest, OtherErrorsAreReturned) {
  must(simulation_.run(create(*other_, "/e", Data(), CreateMode::kEphemeral)), "create");
  const auto under_ephemeral = simulation_.run(place_in(*session_, "/e"));
  EXPECT_EQ(error_of(under_ephemeral), Error::kNoChildrenForEphemerals);
  const auto malformed = simulation_.run(place_in(*session_, "/a//b"));
  EXPECT_EQ(error_of(malformed), Error::kBadArguments);
  simulation_.settle();
  EXPECT_TRUE(session_->background().empty());
}

class EnsureParentTest : public SimulatedSessionTest {};

TEST_F(EnsureParentTest, LeavesWhatExistsAlone) {
  const Created before = must(simulation_.run(create(*session_, "/a", Data("kept"))), "create");
  EXPECT_TRUE(simulation_.run(ensure_parent(*session_, "/a", Context())).has_value());
  const DataAndStat after = must(simulation_.run(get_data(*session_, "/a")), "get_data");
  EXPECT_EQ(after.data, Data("kept"));
  EXPECT_EQ(after.stat, before.stat);
  EXPECT_EQ(znode(simulation_, "/a")->lifetime, fakezk::Lifetime::kPersistent);
}

TEST_F(EnsureParentTest, SucceedsWhereverACutFalls) {
  for (int steps = 0; steps < 8; ++steps) {
    const Path path = Path("/a") / std::to_string(steps) / "b";
    const auto ensured = simulation_.start(ensure_parent(*session_, path, Context()));
    run_steps(simulation_, steps);
    simulation_.cut(*session_);
    simulation_.run_until(ensured);
    EXPECT_TRUE(ensured.result().has_value()) << steps;
    EXPECT_TRUE(simulation_.exists(path)) << steps;
  }
}

TEST_F(EnsureParentTest, GivesUpOnOtherErrors) {
  must(simulation_.run(create(*session_, "/e", Data(), CreateMode::kEphemeral)), "create");
  const auto child = simulation_.run(ensure_parent(*session_, "/e/a/b", Context()));
  EXPECT_EQ(error_of(child), Error::kNoChildrenForEphemerals);
  const auto malformed = simulation_.run(ensure_parent(*session_, "/a/", Context()));
  EXPECT_EQ(error_of(malformed), Error::kBadArguments);
}

TEST_F(EnsureParentTest, DeadlineEndsIt) {
  disconnect(simulation_, *session_);
  const TimePoint deadline = simulation_.now() + 2s;
  const auto ensured = simulation_.start(ensure_parent(*session_, "/a/b", deadline));
  simulation_.advance(2s);
  ASSERT_TRUE(ensured.done());
  EXPECT_EQ(error_of(ensured.result()), Error::kTimedOut);
  EXPECT_FALSE(simulation_.exists("/a"));
}

// The chroot itself may be missing, with any number of levels: a client need not create it.
TEST_F(EnsureParentTest, MissingChrootIsCreatedLevelByLevel) {
  for (const char* const chroot : {"/a", "/b/c", "/d/e/f"}) {
    const auto session = simulation_.open(chroot, FakeClient::kDefaultTimeout, chroot);
    EXPECT_TRUE(simulation_.run(ensure_parent(*session, "/x/y", Context())).has_value()) << chroot;
    EXPECT_TRUE(simulation_.exists(Path(std::string(chroot) + "/x/y"))) << chroot;
  }
  EXPECT_EQ(znode(simulation_, "/d")->lifetime, fakezk::Lifetime::kContainer);
}

TEST_F(EnsureParentTest, MissingChrootIsEnoughForItsOwnRoot) {
  const auto session = simulation_.open("B", FakeClient::kDefaultTimeout, "/a/b");
  EXPECT_TRUE(simulation_.run(ensure_parent(*session, "/", Context())).has_value());
  EXPECT_TRUE(simulation_.exists("/a/b"));
}

TEST_F(EnsureParentTest, EachMissingLevelCostsTwoRequests) {
  const auto session = simulation_.open("B", FakeClient::kDefaultTimeout, "/a/b");
  const RequestCounter requests(simulation_);
  EXPECT_TRUE(simulation_.run(ensure_parent(*session, "/c/d", Context())).has_value());
  EXPECT_EQ(requests.of(*session, OpCode::kCreate), 7U);  // Up to "/a", and down again.
}

// Another client deletes each level as soon as it exists.
TEST_F(EnsureParentTest, EndsAlthoughItsWorkIsUndoneAgainAndAgain) {
  const auto other = simulation_.open("B");
  const auto ensured = simulation_.start(ensure_parent(*session_, "/a/b", Context()));
  int undone = 0;
  for (int creates = 0; creates < 1000 && !ensured.done(); ++creates) {
    simulation_.hold(*session_, OpCode::kCreate);
    simulation_.settle();
    if (simulation_.exists("/a")) {
      must(simulation_.run(remove(*other, "/a")), "remove /a");
      ++undone;
    }
    simulation_.let_go(*session_);
    run_steps(simulation_, 1);
  }
  ASSERT_TRUE(ensured.done());
  EXPECT_EQ(error_of(ensured.result()), Error::kNoNode);
  EXPECT_GE(undone, 2);
}

}  // namespace
}  // namespace lockstep
