// Every example does what it says, simulated and on a real server.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "real/zookeeper_server.h"

namespace lockstep {
namespace {

int run_example(const std::string& name, const std::string& arguments = "") {
  const std::string command = std::string(LOCKSTEP_BIN) + "/" + name + " " + arguments;
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class ExamplesTest : public testing::TestWithParam<const char*> {};

TEST_P(ExamplesTest, WorksInTheSimulation) { EXPECT_EQ(run_example(GetParam()), 0); }

TEST_P(ExamplesTest, RefusesInvalidArguments) { EXPECT_EQ(run_example(GetParam(), "--what"), 2); }

INSTANTIATE_TEST_SUITE_P(Each, ExamplesTest,
                         testing::Values("ticket_queue", "flash_sale", "price_board", "ten_tasks",
                                         "order_service", "leader_worker", "fenced_writer"),
                         [](const auto& tested) { return std::string(tested.param); });

#ifdef LOCKSTEP_WITH_ZOOKEEPER
// Examples that take a few seconds.
class ExamplesOnServerTest : public testing::TestWithParam<const char*> {};

TEST_P(ExamplesOnServerTest, WorksOnAServer) {
  support::ZookeeperServer server;
  EXPECT_EQ(run_example(GetParam(), "--zookeeper " + server.address()), 0);
}

INSTANTIATE_TEST_SUITE_P(Each, ExamplesOnServerTest,
                         testing::Values("flash_sale", "price_board", "ten_tasks", "leader_worker",
                                         "fenced_writer"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(ProductionExampleTest, WorksOnServer) {
  const support::ZookeeperServer server;
  EXPECT_EQ(run_example("lock_in_production", server.address()), 0);
}

TEST(ProductionExampleTest, FailsWithoutTheLock) {
  EXPECT_EQ(run_example("lock_in_production", "no-port"), 1);
}

TEST(ThreadsExampleTest, WorksOnServer) {
  const support::ZookeeperServer server;
  EXPECT_EQ(run_example("lock_with_threads", server.address() + " 600"), 0);
}

TEST(ThreadsExampleTest, SaysThatThereIsNoConnection) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run_example("lock_with_threads", "127.0.0.1:1 1"), 1);
  const std::string said = ::testing::internal::GetCapturedStderr();
  const std::string what = "try_lock_for() on /locks/nightly: no connection within the deadline";
  EXPECT_NE(said.find(what), said.npos) << said;
}
#endif

}  // namespace
}  // namespace lockstep
