#include <gtest/gtest.h>

#include <string>

#include "lockstep/fakezk/path_table.h"
#include "support/by_hand.h"

// The simulated client itself refuses these paths (zookeeper.c, isValidPath).
namespace lockstep {
namespace {

using namespace unit;

class ClientPathTest : public SimulatedSessionTest {
 protected:
  // Expects this answer to reads of paths with `middle` in them, also near their ends.
  void expect(Error answer, const std::string& middle) {
    for (const char* const before : {"/x", "/some/longer/x"}) {
      for (const char* const after : {"", "x", "x/longer"}) {
        const std::string path = before + middle + after;
        EXPECT_EQ(error_of(simulation_.run(get_data(*session_, path))), answer) << path;
      }
    }
  }
};

TEST_F(ClientPathTest, AMalformedPathIsRefusedInEveryPlace) {
  const RequestCounter requests(simulation_);
  for (const char* const malformed : {"//", "/./", "/../", "\x01", "\x1e"}) {
    expect(Error::kBadArguments, malformed);
  }
  EXPECT_EQ(requests.total(), 0U);
}

TEST_F(ClientPathTest, AnUnusualPathIsSent) {
  for (const char* const unusual : {"/y", "/.y", "/..y", "/...", "/-", ".", "..", " "}) {
    expect(Error::kNoNode, unusual);
  }
}

// The client accepts every path that the servers accept, so it need not check a path that they
// know.
TEST_F(ClientPathTest, APathThatTheServersKnowGetsTheSameAnswer) {
  const std::string bytes("/.a\x01\x1f\x7f\x80\xc3\xa9\0", 10);
  fakezk::PathTable table;
  std::size_t valid = 0;
  for (std::size_t number = 0; number < 10'000; ++number) {
    std::string path = "/";
    for (std::size_t left = number; left > 0; left /= 10) path += bytes[left % 10];
    const auto answer = error_of(simulation_.run(exists(*session_, path)));
    EXPECT_EQ(error_of(simulation_.run(exists(*session_, path))), answer) << number;
    if (!table.valid(table.intern(path)) || path == "/") continue;
    ++valid;
    EXPECT_EQ(answer, Error::kNoNode) << number;
  }
  EXPECT_GT(valid, 50U);
}

}  // namespace
}  // namespace lockstep
