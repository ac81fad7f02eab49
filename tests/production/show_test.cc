// `lockstep show` and `lockstep revoke` on the locks of every recipe.
#include <gtest/gtest.h>

#include <optional>
#include <sstream>

#include "lockstep/fair_mutex.h"
#include "lockstep/semaphore.h"
#include "lockstep/unfair_mutex.h"
#include "lockstep/zookeeper/client.h"
#include "lockstep/zookeeper/contender_data.h"
#include "production/operator_lab.h"
#include "production/visit.h"

namespace lockstep {
namespace {

// A client of the library with one session.
class ShowTest : public ::testing::Test {
 protected:
  template <class Recipe, class... What>
  Task<void> take(What... what) {
    const auto session = co_await client.session(Context());
    recipes_session = *session;
    LockOptions options{Data(data)};
    Recipe recipe(*recipes_session, lab.lock(), what..., options);
    Result<HeldLock> taken = co_await recipe.acquire();
    if (taken) held.emplace_back(std::move(*taken));
    EXPECT_TRUE(taken.has_value());
  }
  [[nodiscard]] ProgramRun show() const {
    return run_program(
        {"show", lab.lock(), "--zookeeper", support::ZookeeperServer::shared().address()});
  }

  OperatorLab lab;
  zookeeper::Runtime runtime;
  zookeeper::Client client{runtime,
                           zookeeper::Options(support::ZookeeperServer::shared().address())};
  std::shared_ptr<Session> recipes_session;
  std::string data{zookeeper::contender_data("batch\n7").view()};
  std::vector<HeldLock> held;
};

TEST_F(ShowTest, AnUnfairMutexShowsItsHolder) {
  runtime.run(take<UnfairMutex>());
  const nlohmann::json shown = lab.show();
  EXPECT_EQ(shown.at("kind"), "znode");
  const nlohmann::json& holder = shown.at("holders").at(0);
  EXPECT_EQ(holder.at("znode"), lab.lock());
  EXPECT_EQ(holder.at("pid"), getpid());
  EXPECT_TRUE(holder.at("data").get<std::string>().starts_with("host=")) << holder;
  expect_one_line(lab.revoke(), 2, "cannot be asked");
}

TEST_F(ShowTest, ASemaphoreShowsItsLeases) {
  runtime.run(take<Semaphore>(2));
  runtime.run(take<Semaphore>(2));
  const nlohmann::json shown = lab.show();
  EXPECT_EQ(shown.at("kind"), "semaphore");
  EXPECT_EQ(shown.at("holders").size(), 2U);
  EXPECT_EQ(shown.at("holders").at(0).at("pid"), getpid());
  EXPECT_EQ(lab.revoke().out, lab.lock() + ": asked 2 holders\n");
  EXPECT_EQ(lab.show().at("holders").at(0).at("revocation_asked"), true);
}

// The commands on a lock that only clients with one credential may see.
class RestrictedLockTest : public ::testing::Test {
 protected:
  static zookeeper::Options options() {
    zookeeper::Options options(support::ZookeeperServer::shared().address());
    options.auth.emplace_back("digest", "billing:secret");
    options.default_acl = Acl::creator_only();
    return options;
  }
  Task<void> take() {
    session = *co_await client.session(Context());
    FairMutex mutex(*session, lab.lock());
    Result<HeldLock> taken = co_await mutex.acquire();
    EXPECT_TRUE(taken.has_value());
    if (taken) held.emplace_back(std::move(*taken));
  }
  [[nodiscard]] ProgramRun run_with(const std::string& command, const std::string& auth) const {
    std::vector<std::string> words = {command, lab.lock(), "--zookeeper",
                                      support::ZookeeperServer::shared().address()};
    if (!auth.empty()) words.insert(words.end(), {"--auth", auth});
    return run_program(words);
  }

  OperatorLab lab;
  zookeeper::Runtime runtime;
  zookeeper::Client client{runtime, options()};
  std::shared_ptr<Session> session;
  std::vector<HeldLock> held;
};

TEST_F(RestrictedLockTest, IsShownToAClientWithItsCredential) {
  runtime.run(take());
  expect_one_line(run_with("show", ""), 2, lab.lock());
  expect_one_line(run_with("show", "digest:billing:wrong"), 2, lab.lock());
  const ProgramRun shown = run_with("show", "digest:billing:secret");
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_NE(shown.out.find("held by 1"), std::string::npos) << shown.out;
}

// The lock's own ACL lets everybody list it, that of the contender shows its data to nobody else.
TEST_F(RestrictedLockTest, ShowsWhatIsNoSecretOfAContender) {
  lab.create(lab.lock());
  runtime.run(take());
  std::ostringstream session_id;
  session_id << "0x" << std::hex << session->id();
  const ProgramRun shown = run_with("show", "");
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_NE(shown.out.find("holds since 20"), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("session " + session_id.str()), std::string::npos) << shown.out;
  const nlohmann::json holder = lab.show().at("holders").at(0);
  EXPECT_EQ(holder.at("session"), session_id.str());
  EXPECT_EQ(holder.at("token"), held.front().fencing_token());
  EXPECT_TRUE(holder.at("data").is_null());
}

TEST_F(RestrictedLockTest, AServerThatRefusesACredentialIsNamed) {
  const ProgramRun run = run_with("show", "no-such-scheme:x");
  expect_one_line(run, 2, "auth");
  EXPECT_EQ(run.err.find("no-such-scheme:x"), std::string::npos) << run.err;
}

TEST_F(ShowTest, TheTextNamesHostPidAndTime) {
  runtime.run(take<Semaphore>(2));
  const ProgramRun run = show();
  EXPECT_EQ(run.status, 0) << run.err;
  const std::string line = after("holds since ", run.out);
  EXPECT_EQ(line.find('Z'), std::string("2026-11-25T02:30:00").size()) << line;
  EXPECT_NE(line.find(", pid " + std::to_string(getpid())), std::string::npos) << line;
  EXPECT_TRUE(line.ends_with("batch?7")) << "a terminal shows no control characters: " << line;
}

TEST_F(ShowTest, TheTextCutsLongDataAndJsonDoesNot) {
  data.assign(100'000, 'x');
  runtime.run(take<FairMutex>());
  const std::string line = after("holds since ", show().out);
  EXPECT_LT(line.size(), 300U) << line;
  EXPECT_TRUE(line.ends_with("xx...")) << line;
  EXPECT_EQ(lab.show().at("holders").at(0).at("data"), data);
}

TEST_F(ShowTest, AZnodeThatIsNoLockIsNamed) {
  expect_one_line(show(), 2, "there is no such lock");
  lab.create(lab.lock());
  EXPECT_EQ(show().out, lab.lock() + ": free\n");
  expect_one_line(lab.revoke(), 1, "no holder");
  lab.create(lab.lock() + "/document");
  expect_one_line(show(), 2, "is no lock");
  expect_one_line(lab.revoke(), 2, "is no lock");
}

Task<Result<void>> unanswered(Session&, Context) { co_return failure(Error::kTimedOut); }

TEST_F(ShowTest, ServersThatDoNotAnswerAreNotCalledATimeout) {
  program::VisitSettings settings;
  settings.path = lab.lock();
  settings.ensemble.hosts = support::ZookeeperServer::shared().address();
  testing::internal::CaptureStderr();
  EXPECT_EQ(program::visit(settings, &unanswered), 75);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "lockstep: " + lab.lock() + ": no server has answered in time\n");
}

// "/app/locks/billing" is a usual path of a lock.
TEST_F(ShowTest, AFolderOfLocksIsNoSemaphore) {
  lab.create(lab.lock());
  lab.create(lab.lock() + "/locks");
  EXPECT_EQ(lab.show().at("kind"), "semaphore");
  lab.create(lab.lock() + "/locks/billing");
  expect_one_line(show(), 2, "is no lock");
  expect_one_line(lab.revoke(), 2, "is no lock");
  runtime.run(take<FairMutex>());
  const nlohmann::json shown = lab.show();
  EXPECT_EQ(shown.at("kind"), "queue");
  EXPECT_EQ(shown.at("holders").size(), 1U);
}

}  // namespace
}  // namespace lockstep
