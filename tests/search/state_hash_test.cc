#include "lockstep/search/state_hash.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "lockstep/sleep.h"
#include "plays.h"
#include "support/by_hand.h"

namespace lockstep::fakezk {
namespace {

using namespace unit;

// A world with one session, and changes to it.
class StateHashTest : public ::testing::Test {
 protected:
  template <class Act>
  static std::uint64_t hash_after(Act act) {
    Simulation simulation(quiet());
    const auto session = simulation.open("A");
    must(simulation.run(create(*session, "/a")), "create");
    act(simulation, *session);
    return search::state_hash(simulation.world());
  }
};

TEST_F(StateHashTest, CoversTheIdentitiesOfAConnection) {
  const auto known_as = [](const char* credential) {
    return hash_after([&](Simulation& simulation, FakeSession& session) {
      const auto show = [](Session& own, Data who) -> Task<Result<void>> {
        co_return co_await own.add_auth("digest", who);
      };
      must(simulation.run(show(session, Data(credential))), "add_auth");
    });
  };
  EXPECT_EQ(known_as("ann:secret"), known_as("ann:secret"));
  EXPECT_NE(known_as("ann:secret"), known_as("bob:secret"));
}

TEST_F(StateHashTest, CoversTheTimeWhenASilentSessionExpires) {
  const auto stalled_after = [](Duration first, Duration then) {
    return hash_after([&](Simulation& simulation, FakeSession&) {
      simulation.advance(first);
      simulation.world().faults().stall(simulation.client("A").process());
      simulation.advance(then);
    });
  };
  EXPECT_EQ(stalled_after(0s, 4s), stalled_after(0s, 4s));
  EXPECT_NE(stalled_after(0s, 4s), stalled_after(4s, 0s));
}

Task<void> nap(Executor& executor, Duration duration) {
  static_cast<void>(co_await sleep_for(executor, duration));
}

TEST_F(StateHashTest, CoversTheWaitsOfAProcess) {
  const auto naps = [](Duration duration) {
    return hash_after([&](Simulation& simulation, FakeSession& session) {
      simulation.start(nap(session.executor(), duration));
    });
  };
  EXPECT_EQ(naps(1s), naps(1s));
  EXPECT_NE(naps(1s), naps(2s));
}

TEST_F(StateHashTest, CoversTheDriftOfAClock) {
  const auto drifts = [](bool fast) {
    return hash_after([&](Simulation& simulation, FakeSession&) {
      simulation.world().faults().drift(simulation.client("A").process(), fast);
    });
  };
  EXPECT_EQ(drifts(true), drifts(true));
  EXPECT_NE(drifts(true), drifts(false));
}

// Both are silent for one session timeout; only the possible length of the stall differs.
TEST_F(StateHashTest, CoversTheLatestTimeWhenAProcessWakes) {
  const auto stalls = [](Duration first, Duration then) {
    return hash_after([&](Simulation& simulation, FakeSession& session) {
      simulation.kill(session);
      simulation.settle();
      simulation.advance(first);
      simulation.world().faults().stall(simulation.client("A").process());
      simulation.advance(then);
    });
  };
  EXPECT_EQ(stalls(0s, 1s), stalls(0s, 1s));
  EXPECT_NE(stalls(0s, 1s), stalls(1s, 0s));
}

TEST_F(StateHashTest, CoversTheTimeWhenAReplicaLooksForItsLeader) {
  const auto isolated = [](Duration first, Duration then) {
    Simulation simulation(quiet(3));
    simulation.advance(first);
    simulation.world().servers().isolate(1, simulation.now());
    simulation.advance(then);
    return search::state_hash(simulation.world());
  };
  EXPECT_EQ(isolated(0s, 1s), isolated(0s, 1s));
  EXPECT_NE(isolated(0s, 1s), isolated(1s, 0s));
}

TEST_F(StateHashTest, CoversTheRequestsThatABrokenConnectionHasLeft) {
  const auto left = [](const char* data) {
    return hash_after([&](Simulation& simulation, FakeSession& session) {
      const auto write = simulation.start(set_data(session, "/a", Data(data)));
      simulation.cut_late(session, 1);
    });
  };
  EXPECT_EQ(left("1"), left("1"));
  EXPECT_NE(left("1"), left("2"));
}

TEST_F(StateHashTest, CoversTheAclOfAZnode) {
  const auto allowed = [](const Acl& acl) {
    return hash_after([&](Simulation& simulation, FakeSession& session) {
      const auto set = [](Session& own, Acl all) -> Task<bool> {
        const auto done = co_await own.set_acl("/a", all);
        co_return done.has_value();
      };
      ASSERT_TRUE(simulation.run(set(session, acl)));
    });
  };
  const Acl no_delete({AclEntry(permission::kAll & ~permission::kDelete, "world", "anyone")});
  EXPECT_EQ(allowed(no_delete), allowed(no_delete));
  EXPECT_NE(allowed(no_delete), allowed(Acl::read_only()));
}

TEST_F(StateHashTest, CoversTheModeOfACreateInFlight) {
  const auto creates = [](CreateMode mode) {
    return hash_after([&](Simulation& simulation, FakeSession& session) {
      simulation.start(ignore(create(session, "/b", Data(), mode)));
    });
  };
  EXPECT_EQ(creates(CreateMode::kEphemeral), creates(CreateMode::kEphemeral));
  EXPECT_NE(creates(CreateMode::kEphemeral), creates(CreateMode::kPersistent));
}

TEST_F(StateHashTest, CoversTheOperationsOfATransactionInFlight) {
  const auto sends = [](const char* data) {
    return hash_after([&](Simulation& simulation, FakeSession& session) {
      const auto set = [](Session& own, Data what) -> Task<void> {
        Transaction one = Transaction().set_data("/a", std::move(what));
        static_cast<void>(co_await own.multi(std::move(one)));
      };
      simulation.start(set(session, Data(data)));
    });
  };
  EXPECT_EQ(sends("1"), sends("1"));
  EXPECT_NE(sends("1"), sends("2"));
}

Query add_watch(WatchMode mode) {
  Query query(Query::Kind::kAddWatch);
  query.path = Path("/a");
  query.mode = mode;
  return query;
}

TEST_F(StateHashTest, CoversTheModeOfAWatch) {
  const auto watches = [](WatchMode mode, bool has_arrived) {
    return hash_after([&](Simulation& simulation, FakeSession& session) {
      simulation.world().network().send(session.link(), add_watch(mode));
      if (has_arrived) simulation.settle();
    });
  };
  for (const bool has_arrived : {false, true}) {
    const std::uint64_t persistent = watches(WatchMode::kPersistent, has_arrived);
    EXPECT_EQ(persistent, watches(WatchMode::kPersistent, has_arrived));
    EXPECT_NE(persistent, watches(WatchMode::kRecursive, has_arrived));
  }
}

TEST_F(StateHashTest, CoversTheAnswerToAQuery) {
  const auto hash_of = [](std::int32_t descendants) {
    ServerMessage message(ServerMessage::Kind::kQueried);
    message.answer = std::make_unique<QueryAnswer>();
    message.answer->descendants = descendants;
    return search::content_hash(message);
  };
  EXPECT_EQ(hash_of(1), hash_of(1));
  EXPECT_NE(hash_of(1), hash_of(2));
}

TEST_F(StateHashTest, CoversTheDetailsOfAReply) {
  const auto hash_of = [](ReplyDetails details) {
    ServerMessage message(OpCode::kMulti, 0);
    message.reply.set_details(std::move(details));
    return search::content_hash(message);
  };
  const auto created = [](const char* path) {
    ReplyDetails details;
    details.results.emplace_back(OpCode::kCreate).path = path;
    return details;
  };
  EXPECT_EQ(hash_of(created("/a")), hash_of(created("/a")));
  EXPECT_NE(hash_of(created("/a")), hash_of(created("/b")));
  EXPECT_NE(hash_of(ReplyDetails::failed_at(0)), hash_of(ReplyDetails::failed_at(1)));
  EXPECT_NE(hash_of(ReplyDetails(Acl::open())), hash_of(ReplyDetails(Acl::read_only())));
}

}  // namespace
}  // namespace lockstep::fakezk
