#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include "lockstep/lab/hunt.h"
#include "support/by_hand.h"

// Executions that differ only in the contents of their messages have different trace hashes: so the
// search notices a program that writes the time of a clock.
namespace lockstep::fakezk {
namespace {

using namespace unit;

Task<Result<Created>> create_with(Session& session, Creation creation) {
  co_return co_await session.create("/b", "b", creation);
}
Task<Result<void>> set_acl(Session& session, Acl acl) {
  co_return co_await session.set_acl("/a", acl);
}
Task<Result<MultiResults>> multi(Session& session, Transaction transaction) {
  const auto done = co_await session.multi(std::move(transaction));
  if (!done) co_return std::unexpected(done.error().error);
  co_return *done;
}
Task<Result<void>> add_auth(Session& session, Data credential) {
  co_return co_await session.add_auth("digest", credential);
}

// The actions of one session, and the tree before them.
using Act = std::function<void(Simulation&, FakeSession&)>;
std::uint64_t trace_hash_of(const Act& act, const Act& before = [](Simulation&, FakeSession&) {}) {
  Simulation simulation;
  const auto session = simulation.open("A");
  must(simulation.run(create(*session, "/a", "a")), "create");
  before(simulation, *session);
  simulation.world().begin_trace();
  act(simulation, *session);
  return simulation.world().trace_hash();
}

TEST(TraceHashTest, IsTheSameForTheSameExecution) {
  const Act act = [](Simulation& simulation, FakeSession& session) {
    must(simulation.run(set_data(session, "/a", "some data")), "set_data");
    must(simulation.run(get_children(session, "/")), "get_children");
  };
  EXPECT_EQ(trace_hash_of(act), trace_hash_of(act));
}

TEST(TraceHashTest, CoversTheDataThatIsWritten) {
  const auto setting = [](Data data) {
    return trace_hash_of([&](Simulation& simulation, FakeSession& session) {
      must(simulation.run(set_data(session, "/a", data)), "set_data");
    });
  };
  EXPECT_NE(setting("one way"), setting("another"));
  EXPECT_NE(setting("123456789"), setting("123456780"));
  EXPECT_NE(setting(""), setting(Data()));
  const auto creating = [](Data data) {
    return trace_hash_of([&](Simulation& simulation, FakeSession& session) {
      must(simulation.run(create(session, "/b", data)), "create");
    });
  };
  EXPECT_NE(creating("1"), creating("2"));
}

TEST(TraceHashTest, CoversTheDataThatIsRead) {
  const auto reading = [](Data data) {
    const auto read = [](Simulation& simulation, FakeSession& session) {
      must(simulation.run(get_data(session, "/a")), "get_data");
    };
    return trace_hash_of(read, [&](Simulation& simulation, FakeSession& session) {
      must(simulation.run(set_data(session, "/a", data)), "set_data");
    });
  };
  EXPECT_NE(reading("1"), reading("2"));
}

TEST(TraceHashTest, CoversTheOperationsOfAMulti) {
  const auto committing = [](const std::function<void(Transaction&)>& fill) {
    return trace_hash_of([&](Simulation& simulation, FakeSession& session) {
      Transaction transaction;
      std::move(transaction).check("/a");
      fill(transaction);
      must(simulation.run(multi(session, std::move(transaction))), "multi");
    });
  };
  const std::uint64_t one =
      committing([](Transaction& transaction) { std::move(transaction).set_data("/a", "1"); });
  EXPECT_NE(one, committing(
                     [](Transaction& transaction) { std::move(transaction).set_data("/a", "2"); }));
  EXPECT_NE(one, committing([](Transaction& transaction) {
              std::move(transaction).set_data("/a", "1", 0);
            }));
  EXPECT_NE(one, committing([](Transaction& transaction) { std::move(transaction).check("/a"); }));
  EXPECT_NE(one, committing([](Transaction&) {}));
}

TEST(TraceHashTest, CoversAcls) {
  const auto setting = [](Acl acl) {
    return trace_hash_of([&](Simulation& simulation, FakeSession& session) {
      must(simulation.run(set_acl(session, acl)), "set_acl");
    });
  };
  const auto for_everybody = [](std::int32_t permissions) {
    return Acl({AclEntry(permissions, "world", "anyone")});
  };
  EXPECT_NE(setting(Acl::open()), setting(Acl::read_only()));
  EXPECT_NE(setting(for_everybody(permission::kRead)),
            setting(for_everybody(permission::kRead | permission::kAdmin)));
  const auto creating = [](Acl acl) {
    return trace_hash_of([&](Simulation& simulation, FakeSession& session) {
      const Creation creation(CreateMode::kPersistent, acl);
      must(simulation.run(create_with(session, creation)), "create");
    });
  };
  EXPECT_NE(creating(Acl::open()), creating(Acl::read_only()));
}

TEST(TraceHashTest, CoversTheVersionThatIsAskedFor) {
  const auto setting = [](std::int32_t version) {
    return trace_hash_of([&](Simulation& simulation, FakeSession& session) {
      must(simulation.run(set_data(session, "/a", "a", version)), "set_data");
    });
  };
  EXPECT_NE(setting(0), setting(-1));
}

TEST(TraceHashTest, CoversTheStatThatIsAnswered) {
  const auto looking = [](const Path& set) {
    const auto look = [](Simulation& simulation, FakeSession& session) {
      must(simulation.run(exists(session, "/a")), "exists");
    };
    return trace_hash_of(look, [&](Simulation& simulation, FakeSession& session) {
      must(simulation.run(create(session, "/b", "a")), "create");
      must(simulation.run(set_data(session, set, "a")), "set_data");
    });
  };
  EXPECT_NE(looking("/a"), looking("/b"));
}

TEST(TraceHashTest, CoversTheNamesInAList) {
  const auto listing = [](const Path& other) {
    const auto list = [](Simulation& simulation, FakeSession& session) {
      must(simulation.run(get_children(session, "/")), "get_children");
    };
    return trace_hash_of(list, [&](Simulation& simulation, FakeSession& session) {
      must(simulation.run(create(session, other)), "create");
    });
  };
  EXPECT_NE(listing("/b"), listing("/c"));
  EXPECT_NE(listing("/long-name-0000000001"), listing("/long-name-0000000002"));
}

TEST(TraceHashTest, CoversCredentials) {
  const auto showing = [](Data credential) {
    return trace_hash_of([&](Simulation& simulation, FakeSession& session) {
      must(simulation.run(add_auth(session, credential)), "add_auth");
    });
  };
  EXPECT_NE(showing("user:1"), showing("user:2"));
}

// No client learns the outcome, but the request is executed.
TEST(TraceHashTest, CoversWhatIsDoneAfterTheConnectionIsGone) {
  const auto losing = [](Data data, bool late) {
    return trace_hash_of([&](Simulation& simulation, FakeSession& session) {
      simulation.start(ignore(set_data(session, "/a", data)));
      late ? simulation.cut_late(session, 1) : simulation.cut(session, 1);
      simulation.settle();
    });
  };
  EXPECT_NE(losing("1", false), losing("2", false));
  EXPECT_NE(losing("1", true), losing("2", true));
}

// As if it showed where it runs: the requests are the same, and so are their effects.
Task<void> write_the_time(lab::Contender& self, Path lock, std::uint32_t) {
  // allow(steady_clock): that this is noticed is the point.
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  const auto session = co_await self.client().session(Context());
  if (!session) co_return;
  const std::string text = "entered at " + std::to_string(now);
  static_cast<void>(co_await (*session)->set_data(lock, Data(std::string_view(text))));
}

TEST(TraceHashTest, AProgramThatWritesTheTimeIsNotDeterministic) {
  lab::HuntSettings settings{.executions = 2'000};
  const lab::HuntReport report = lab::hunt_lock("clockwork", &write_the_time, settings);
  ASSERT_FALSE(report.passed());
  EXPECT_EQ(report.failure->violation.oracle, "misuse");
  EXPECT_NE(report.text().find("the program is not deterministic"), std::string::npos)
      << report.text();
}

}  // namespace
}  // namespace lockstep::fakezk
