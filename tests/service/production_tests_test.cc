// The production backend's tests against the simulated servers instead of a real one.
#ifdef LOCKSTEP_WITH_ZOOKEEPER
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "lockstep/service/control.h"
#include "served.h"

namespace lockstep::service {
namespace {

using std::chrono::milliseconds;

// The configuration of a real server in tests/real/zookeeper_server.h.
ServiceOptions as_a_real_one() {
  return {.tick_time = milliseconds(200),
          .max_session_timeout = milliseconds(60'000),
          .container_check_interval = milliseconds(300),
          .times_to_live = true};
}

TEST(ProductionTestsTest, PassOnTheseServersToo) {
  Served served(as_a_real_one());
  std::string pool = (std::filesystem::temp_directory_path() / "lockstep-pool-XXXXXX").string();
  ASSERT_NE(mkdtemp(pool.data()), nullptr);
  std::ofstream(pool + "/" + std::to_string(served.service().ports().front())).close();
  const std::string tests = std::getenv("LOCKSTEP_LONG") ? "-EnsembleTest*" : "SessionTest*";
  const std::string command = "LOCKSTEP_SERVER_POOL=" + pool +
                              " " LOCKSTEP_ZOOKEEPER_TESTS " --gtest_brief=1 --gtest_filter='" +
                              tests + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::filesystem::remove_all(pool);
  // Shows that they did not use another server.
  Control control(served.service());
  EXPECT_FALSE(control.log().empty());
}

}  // namespace
}  // namespace lockstep::service
#endif
