// Hand-written transaction logs and snapshots of three servers.
#include "chaos/transaction_log.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "real/temporary_directory.h"

namespace lockstep::chaos {
namespace {

constexpr std::int64_t kEpoch1 = std::int64_t{1} << 32;
constexpr std::int64_t kEpoch2 = std::int64_t{2} << 32;
constexpr std::int64_t kEpoch3 = std::int64_t{3} << 32;

std::string number(std::int64_t value, int size) {
  std::string bytes;
  for (int at = size - 1; at >= 0; --at) {
    bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * at));
  }
  return bytes;
}

// A record that deletes a znode, whose name is the zxid.
std::string record_of(std::int64_t zxid) {
  const std::string path = "/chaos/" + std::to_string(zxid);
  const std::string transaction = number(7, 8) + number(0, 4) + number(zxid, 8) + number(0, 8) +
                                  number(2, 4) + number(static_cast<std::int64_t>(path.size()), 4) +
                                  path;
  return number(0, 8) + number(static_cast<std::int64_t>(transaction.size()), 4) + transaction +
         "B";
}

class TransactionLogTest : public ::testing::Test {
 protected:
  TransactionLogTest() {
    for (const char* const name : {"1", "2", "3"}) {
      std::filesystem::create_directory(folders_.emplace_back(directory_.path() / name));
    }
  }

  // Logs the transactions of one epoch in a file.
  void log(std::size_t server, std::int64_t first, std::int64_t last) {
    std::ofstream file(folders_[server] / ("log." + std::to_string(first)), std::ios::binary);
    file << std::string(16, '\0');
    for (std::int64_t zxid = first; zxid <= last; ++zxid) file << record_of(zxid);
    file << std::string(100, '\0');
  }
  void snapshot(std::size_t server, std::int64_t zxid) {
    std::ostringstream name;
    name << "snapshot." << std::hex << zxid;
    std::ofstream(folders_[server] / name.str());
  }
  [[nodiscard]] std::vector<std::int64_t> committed() const {
    std::vector<std::int64_t> zxids;
    for (const Transaction& transaction : read_transactions(folders_, "/chaos")) {
      EXPECT_EQ(transaction.path, "/chaos/" + std::to_string(transaction.zxid));
      zxids.push_back(transaction.zxid);
    }
    return zxids;
  }

 private:
  support::TemporaryDirectory directory_;
  std::vector<std::filesystem::path> folders_;
};

using Zxids = std::vector<std::int64_t>;

TEST_F(TransactionLogTest, WhatAMajorityHasLoggedIsCommitted) {
  log(0, kEpoch1 + 1, kEpoch1 + 3);
  log(1, kEpoch1 + 1, kEpoch1 + 2);
  log(2, kEpoch1 + 1, kEpoch1 + 1);
  EXPECT_EQ(committed(), (Zxids{kEpoch1 + 1, kEpoch1 + 2}));
}

// It was deposed, tried to lead again, which begins with a snapshot, and failed.
TEST_F(TransactionLogTest, ADeposedLeadersSnapshotCommitsNothing) {
  log(0, kEpoch1 + 1, kEpoch1 + 3);
  snapshot(0, kEpoch1 + 3);
  for (const std::size_t server : {1U, 2U}) {
    log(server, kEpoch1 + 1, kEpoch1 + 1);
    snapshot(server, kEpoch1 + 1);
    log(server, kEpoch2 + 1, kEpoch2 + 1);
  }
  EXPECT_EQ(committed(), (Zxids{kEpoch1 + 1, kEpoch2 + 1}));
}

TEST_F(TransactionLogTest, AnEpochThatOneServerHasBegunAloneIsLeftOut) {
  log(0, kEpoch2 + 1, kEpoch2 + 2);
  for (const std::size_t server : {1U, 2U}) {
    log(server, kEpoch1 + 1, kEpoch1 + 1);
    log(server, kEpoch3 + 1, kEpoch3 + 1);
  }
  EXPECT_EQ(committed(), (Zxids{kEpoch1 + 1, kEpoch3 + 1}));
}

// It returns as the next leader, and a follower gets its snapshot.
TEST_F(TransactionLogTest, WhatTheNextLeaderHasSentInASnapshotIsCommitted) {
  log(0, kEpoch1 + 1, kEpoch1 + 3);
  log(1, kEpoch1 + 1, kEpoch1 + 1);
  snapshot(2, kEpoch1 + 3);
  EXPECT_EQ(committed(), (Zxids{kEpoch1 + 1, kEpoch1 + 2, kEpoch1 + 3}));
}

TEST_F(TransactionLogTest, AGapThrows) {
  for (const std::size_t server : {0U, 1U}) {
    log(server, kEpoch1 + 1, kEpoch1 + 1);
    log(server, kEpoch1 + 3, kEpoch1 + 3);
  }
  EXPECT_THROW(static_cast<void>(committed()), std::runtime_error);
}

}  // namespace
}  // namespace lockstep::chaos
