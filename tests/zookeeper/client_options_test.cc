#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>

#include "lockstep/zookeeper/client_thread.h"
#include "support/lab.h"
#include "zookeeper/connection_lab.h"

// Invalid options, attaching to a session, and log sinks.
namespace lockstep::zookeeper {
namespace {

using namespace connection_lab;
using support::must;

TEST(ConnectionTest, InvalidOptionsSayWhatIsWrong) {
  Runtime runtime;
  const auto refusal_of = [&runtime](const Options& options) {
    Client client(runtime, options);
    EXPECT_EQ(error_of(open(runtime, client)), Error::kBadArguments);
    return client.last_failure();
  };
  EXPECT_EQ(refusal_of(Options("zk1")), "\"zk1\" is not host:port");
  EXPECT_EQ(refusal_of(Options("zk1:2181/app/")),
            "the chroot \"/app/\" is not a path of ZooKeeper");
  EXPECT_EQ(refusal_of(Options("zk1:2181/app,zk2:2181/app")),
            "the chroot \"/app,zk2:2181/app\" names a server: it comes once, after all servers");
  EXPECT_EQ(refusal_of(Options("zk1:2181", std::chrono::milliseconds(1))),
            "the session timeout of 1 ms is not between 100 ms and 86400000 ms");
  EXPECT_EQ(refusal_of(Options("zk1:2181", std::chrono::hours(25))),
            "the session timeout of 90000000 ms is not between 100 ms and 86400000 ms");
  Options hasty("zk1:2181");
  hasty.connect_budget = Duration(0);
  EXPECT_EQ(refusal_of(hasty), "the connect budget is not positive");
  Options tidy("zk1:2181");
  tidy.spare_session_time = Duration(0);
  EXPECT_EQ(refusal_of(tidy), "spare_session_time is not positive");
  tidy.spare_session_time = std::chrono::seconds(-1);
  EXPECT_EQ(refusal_of(tidy), "spare_session_time is not positive");
}

// A server closes the connection of a client with a longer packet, and the C client does not return
// from a request of more than a gigabyte.
TEST(ConnectionTest, PacketsThatCannotBeSentAreADefect) {
  Options large("zk1:2181");
  large.packet_limit = std::size_t{1} << 30;
  EXPECT_EQ(large.defect(), std::nullopt);
  ++large.packet_limit;
  EXPECT_EQ(large.defect(), "the packet limit of 1073741825 bytes is above 1073741824");
  Options wordy("zk1:2181");
  wordy.auth.emplace_back("digest", Data(std::string(wordy.packet_limit, 'x')));
  EXPECT_EQ(wordy.defect(), "a credential is longer than the packet limit");
}

// A sink of a user whose copy can fail, as of one that allocates.
class CopiedHereOnly {
 public:
  CopiedHereOnly() = default;
  CopiedHereOnly(const CopiedHereOnly& other) : home_(other.home_) {
    if (pthread_equal(pthread_self(), home_) == 0) throw std::domain_error("no copy");
  }
  void operator()(std::string_view) const {}

 private:
  pthread_t home_ = pthread_self();
};

TEST(ClientThreadTest, AClientThatCannotBeMadeIsAnException) {
  Options options(refused_address());
  options.log = CopiedHereOnly();
  EXPECT_THROW(ClientThread zookeeper(options), std::domain_error);
}

Task<void> open_two_sessions(Client& client) {
  const auto first = must(co_await client.session(lockstep::Context()), "open");
  auto close = first->close();
  must(co_await client.session(lockstep::Context()), "open another");
  must(co_await close, "close");
}

// The threads of both sessions write lines.
TEST(ConnectionTest, ASinkIsCalledOnceAtATime) {
  Runtime runtime;
  std::atomic<int> inside = 0;
  std::atomic<int> overlaps = 0;
  std::atomic<int> spins = 0;
  Options options(ZookeeperServer::shared().address());
  options.log = [&](std::string_view) {
    if (inside.fetch_add(1) != 0) ++overlaps;
    for (int i = 0; i < 100'000; ++i) ++spins;  // Longer than a thread takes to come here.
    inside.fetch_sub(1);
  };
  for (int round = 0; round < 5; ++round) {
    Client client(runtime, options);
    runtime.run(open_two_sessions(client));
  }
  EXPECT_EQ(overlaps, 0);
}

// Debian's build of the C client supports neither.
TEST(ConnectionTest, OptionsBeyondTheLinkedClientAreUnimplemented) {
  Runtime runtime;
  Options options("127.0.0.1:2181");
  options.tls = Tls("ca.pem", "client.pem", "client.key");
  Client encrypted(runtime, options);
  EXPECT_EQ(error_of(open(runtime, encrypted)), Error::kUnimplemented);
  EXPECT_EQ(encrypted.last_failure(), "the linked C client of ZooKeeper was built without TLS");
  options.tls.reset();
  options.sasl = Sasl("me", "/password");
  Client authenticated(runtime, options);
  EXPECT_EQ(error_of(open(runtime, authenticated)), Error::kUnimplemented);
  EXPECT_EQ(authenticated.last_failure(),
            "the linked C client of ZooKeeper was built without SASL");
}

Task<void> attach_once(Runtime& runtime, Client& original) {
  const auto first = must(co_await original.session(lockstep::Context()), "open");
  Options options(ZookeeperServer::shared().address(), kSessionTimeout);
  options.attach_to = original.credentials();
  Client attached(runtime, options);
  const auto same = must(co_await attached.session(lockstep::Context()), "attach");
  EXPECT_EQ(same->id(), first->id());
  must(co_await same->close(), "close");
  const auto own = must(co_await attached.session(lockstep::Context()), "open another");
  EXPECT_NE(own->id(), first->id());
}

TEST(ConnectionTest, AttachesOnlyOnce) {
  Runtime runtime;
  Client client(runtime, Options(ZookeeperServer::shared().address(), kSessionTimeout));
  runtime.run(attach_once(runtime, client));
}

// Collects log lines from several threads.
class Lines {
 public:
  [[nodiscard]] LogSink sink() {
    return [this](std::string_view line) {
      const std::lock_guard lock(mutex_);
      all_ += line;
      all_ += '\n';
    };
  }
  [[nodiscard]] std::string all() {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  std::mutex mutex_;
  std::string all_;
};

// Z116: the C client logs to standard error by default.
TEST(ConnectionTest, EverySessionLogsIntoItsOwnSink) {
  Lines lines;
  Lines other;
  Runtime runtime;
  const std::string refused = refused_address();
  {
    Options talking(ZookeeperServer::shared().address(), kSessionTimeout);
    talking.log = lines.sink();
    Client client(runtime, talking);
    Client silent(runtime, Options(ZookeeperServer::shared().address(), kSessionTimeout));
    EXPECT_TRUE(open(runtime, client));
    EXPECT_TRUE(open(runtime, silent));
    Options failing(refused, kSessionTimeout);
    failing.log = other.sink();
    Client nowhere(runtime, failing);
    const std::string line = "lockstep: " + refused + ": Connection refused";
    for (int tries = 0; tries < 20 && !other.all().contains(line); ++tries) {
      EXPECT_FALSE(open(runtime, nowhere, std::chrono::milliseconds(300)));
    }
    EXPECT_TRUE(other.all().contains(line)) << other.all();
  }
  const std::string said = lines.all();
  const std::string session_line("session establishment complete");
  EXPECT_NE(said.find(session_line), std::string::npos) << said;
  EXPECT_EQ(said.find(session_line), said.rfind(session_line)) << "that of one session";
  EXPECT_EQ(said.find(refused), std::string::npos);
  Client quiet(runtime, Options(ZookeeperServer::shared().address(), kSessionTimeout));
  EXPECT_TRUE(open(runtime, quiet));
  EXPECT_EQ(lines.all(), said);
}

}  // namespace
}  // namespace lockstep::zookeeper
