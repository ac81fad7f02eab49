// Uses of Curator on the real server and on the simulated ones behind sockets: recipes, caches,
// transactions, watches, errors, sessions that expire and move.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "lockstep/service/service.h"
#include "real/zookeeper_server.h"

namespace lockstep::interop {
namespace {

using testing::Contains;
using testing::ElementsAreArray;
using testing::SizeIs;

// The lines of the Java program, one for each recipe.
std::vector<std::string> outcomes(const std::string& servers, int rounds) {
  const std::string command =
      "exec java -Xmx128m -XX:+UseSerialGC -XX:-UsePerfData -XX:TieredStopAtLevel=1 "
      "-Djava.net.preferIPv4Stack=true -Dorg.slf4j.simpleLogger.defaultLogLevel=off "
      "-cp " LOCKSTEP_CURATOR_CLASSES
      ":/usr/share/java/slf4j-simple.jar:/usr/share/java/curator-recipes.jar"
      ":/usr/share/java/zookeeper.jar CuratorRecipes " +
      servers + " " + std::to_string(rounds);
  std::FILE* const output = popen(command.c_str(), "r");
  if (!output) throw std::runtime_error("no pipe");
  std::string all;
  std::array<char, 4096> bytes{};
  while (const std::size_t size = std::fread(bytes.data(), 1, bytes.size(), output)) {
    all.append(bytes.data(), size);
  }
  EXPECT_EQ(pclose(output), 0);
  std::vector<std::string> lines;
  std::istringstream stream(all);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> on_simulated_servers(std::uint32_t servers, int rounds) {
  service::Service service({.servers = servers, .times_to_live = true});
  std::thread serving([&] { service.run(); });
  std::string addresses;
  for (const std::string& address : service.addresses()) {
    addresses += (addresses.empty() ? "" : ",") + address;
  }
  std::vector<std::string> lines = outcomes(addresses, rounds);
  service.stop();
  serving.join();
  return lines;
}

TEST(CuratorRecipesTest, HaveTheSameResultsOnSimulatedServers) {
  const int rounds = std::getenv("LOCKSTEP_LONG") ? 10 : 1;
  support::ZookeeperServer& real = support::ZookeeperServer::shared();
  std::vector<std::string> simulated;
  std::thread meanwhile([&] { simulated = on_simulated_servers(1, rounds); });
  const std::vector<std::string> expected = outcomes(real.address(), rounds);
  meanwhile.join();
  EXPECT_THAT(expected, SizeIs(25 * rounds));
  EXPECT_THAT(expected, Contains("atomic long: 40"));
  EXPECT_THAT(simulated, ElementsAreArray(expected));
  if (rounds > 1) {
    EXPECT_THAT(on_simulated_servers(3, rounds), ElementsAreArray(expected));
  }
}

}  // namespace
}  // namespace lockstep::interop
