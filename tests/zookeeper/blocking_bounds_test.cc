#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

#include "lockstep/blocking/mutex.h"
#include "lockstep/blocking/semaphore.h"
#include "lockstep/zookeeper/client_thread.h"
#include "real/loopback.h"
#include "real/tcp_proxy.h"
#include "real/zookeeper_server.h"
#include "support/lab.h"

// How long blocking locks take when the server is unreachable, and what error they report.
namespace lockstep::zookeeper {
namespace {

using support::Lab;
using support::TcpProxy;
using support::ZookeeperServer;
using namespace std::chrono_literals;

Options options(const std::string& servers) { return Options(servers, Lab::kLongSessionTimeout); }

blocking::Bounds short_bounds() {
  blocking::Bounds bounds;
  bounds.release_patience = 50ms;
  bounds.try_patience = 50ms;
  return bounds;
}

struct Thrown {
  std::error_code code;
  std::string text;
};

// The error that `call` throws; returning false would not be enough.
template <class Call>
Thrown thrown_by(Call call) {
  try {
    const bool got = call();
    ADD_FAILURE() << "returned " << got;
  } catch (const std::system_error& error) {
    return {error.code(), error.what()};
  }
  return {};
}

// The C client notices a stalled link after a while.
bool reports_an_unreachable_server(const Thrown& thrown) {
  return thrown.code == Error::kOperationTimeout || thrown.code == Error::kNotConnected;
}

TEST(BlockingBoundsTest, UnlockOnAStalledLinkGoesOnInTheBackground) {
  TcpProxy proxy(ZookeeperServer::shared().port());
  ClientThread ann(options(proxy.address()));
  ClientThread bob(options(ZookeeperServer::shared().address()));
  blocking::FairMutex anns(ann.client(), "/bounds/unlock");
  blocking::FairMutex bobs(bob.client(), "/bounds/unlock");
  anns.lock();
  proxy.stall();
  const TimePoint before = ann.client().executor().now();
  EXPECT_EQ(anns.release(), ReleaseOutcome::kUnknown);
  EXPECT_LT(ann.client().executor().now() - before, Lab::kLongSessionTimeout / 2);
  EXPECT_FALSE(bobs.try_lock());
  proxy.pass_again();
  bobs.lock();  // returns only after Ann's znode is gone
  EXPECT_EQ(bobs.release(), ReleaseOutcome::kReleased);
}

TEST(BlockingBoundsTest, ATryOnAStalledLinkIsAnErrorAndNotAFailedTry) {
  TcpProxy proxy(ZookeeperServer::shared().port());
  ClientThread zookeeper(options(proxy.address()));
  blocking::FairMutex patient(zookeeper.client(), "/bounds/stalled");
  patient.lock();
  ASSERT_EQ(patient.release(), ReleaseOutcome::kReleased);
  proxy.stall();
  blocking::FairMutex mutex(zookeeper.client(), "/bounds/stalled", short_bounds());
  const Thrown at_once = thrown_by([&] { return mutex.try_lock(); });
  EXPECT_TRUE(reports_an_unreachable_server(at_once)) << at_once.text;
  const Thrown in_time = thrown_by([&] { return mutex.try_lock_for(50ms); });
  EXPECT_TRUE(reports_an_unreachable_server(in_time)) << in_time.text;
  proxy.pass_again();
}

TEST(BlockingBoundsTest, ADeadServerIsAnErrorAndNotAFailedTry) {
  ClientThread nowhere(options("127.0.0.1:" + std::to_string(support::refusing_port())));
  blocking::FairMutex mutex(nowhere.client(), "/locks/nightly", short_bounds());
  const Thrown thrown = thrown_by([&] { return mutex.try_lock(); });
  EXPECT_EQ(thrown.code, Error::kNotConnected);
  const std::string begin = "lockstep: try_lock() on /locks/nightly: no connection within the ";
  EXPECT_TRUE(thrown.text.starts_with(begin)) << thrown.text;
  EXPECT_EQ(thrown_by([&] { return mutex.try_lock_for(50ms); }).code, Error::kNotConnected);
  blocking::Semaphore semaphore(nowhere.client(), "/locks/leases", short_bounds(), 2);
  EXPECT_EQ(thrown_by([&] { return semaphore.try_acquire(); }).code, Error::kNotConnected);
  EXPECT_EQ(thrown_by([&] { return semaphore.try_acquire_for(50ms); }).code, Error::kNotConnected);
}

TEST(BlockingBoundsTest, AMisspeltHostIsAnErrorAndNotAFailedTry) {
  ClientThread nowhere(options("no-such-host.invalid:2181"));
  blocking::FairMutex mutex(nowhere.client(), "/locks/nightly", short_bounds());
  EXPECT_EQ(thrown_by([&] { return mutex.try_lock_for(50ms); }).code, Error::kNotConnected);
}

TEST(BlockingBoundsTest, AWaitForADeadServerCanBeStopped) {
  ClientThread nowhere(options("127.0.0.1:" + std::to_string(support::refusing_port())));
  blocking::FairMutex mutex(nowhere.client(), "/locks/nightly");
  std::stop_source stop;
  const auto lock = [&] {
    mutex.lock(stop.get_token());
    return true;
  };
  auto waits = std::async(std::launch::async, [&] { return thrown_by(lock); });
  stop.request_stop();
  const Thrown thrown = waits.get();
  EXPECT_EQ(thrown.code, std::errc::operation_canceled);
  EXPECT_EQ(thrown.text, "lockstep: lock() on /locks/nightly: cancelled");
}

}  // namespace
}  // namespace lockstep::zookeeper
