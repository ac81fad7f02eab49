// Candidates for reaping whose znodes change before their turn.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "server/server_by_hand.h"

namespace lockstep::unit {
namespace {

using namespace std::chrono_literals;

class ReapingTest : public TwoSessionsTest {
 protected:
  // A container that the servers' next look finds.
  void create_used(const std::string& path) {
    zk_.create(a_, path, CreateMode::kContainer);
    zk_.create(a_, path + "/child");
    zk_.remove(a_, path + "/child");
  }
  void reap_all() {
    while (!zk_.server.reaping().empty()) zk_.server.finish_reaping(0, zk_.now);
  }
  std::optional<Error> exists(const std::string& path) {
    return error_of(zk_.read(a_, OpCode::kExists, path));
  }
};

// ContainerManager.checkContainers deletes the paths that it has collected, at a distance from each
// other, and PrepRequestProcessor.pRequest2Txn (deleteContainer) refuses no persistent znode.
TEST_F(ReapingTest, Z36ACandidateThatWasMadeAgainGoesWhateverItIsNow) {
  for (const CreateMode mode :
       {CreateMode::kPersistent, CreateMode::kContainer, CreateMode::kEphemeral}) {
    create_used("/a");
    create_used("/b");
    zk_.pass(60s);
    ASSERT_EQ(zk_.server.reaping().size(), 2U);
    zk_.remove(a_, "/b");
    zk_.create(a_, "/b", mode);
    reap_all();
    EXPECT_EQ(exists("/a"), Error::kNoNode);
    const bool stays = mode == CreateMode::kEphemeral;
    EXPECT_EQ(exists("/b"), stays ? std::nullopt : std::optional(Error::kNoNode));
  }
}

TEST_F(ReapingTest, Z36ACandidateThatIsGoneOrHasAChildTakesAZxid) {
  create_used("/a");
  create_used("/b");
  zk_.pass(60s);
  zk_.remove(a_, "/a");
  zk_.create(a_, "/b/child");
  const Zxid before = zk_.server.last_zxid();
  reap_all();
  EXPECT_EQ(zk_.server.last_zxid(), before + 2);
  EXPECT_EQ(exists("/b"), std::nullopt);
}

}  // namespace
}  // namespace lockstep::unit
