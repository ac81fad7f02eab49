#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::chaos {

// One change of a znode, as the servers have committed it.
struct Transaction {
  enum class Kind : std::uint8_t { kCreate, kDelete, kEndOfSession };
  Kind kind{};
  std::int64_t zxid = 0;
  std::int64_t session = 0;  // The session that sent the request.
  std::string path;          // None for the end of a session.
  bool ephemeral = false;
};

// Reads the transaction logs of an ensemble (folders "version-2"; FileTxnLog in ZooKeeper's source
// tells the format), in the order of the zxids, of znodes below `root` and of sessions. A server
// that was sent a snapshot has not logged what that contains, so all logs are taken together.
// Transactions that a leader logged and that no other server received before it was deposed are
// left out. The servers may be running: transactions that they have not written yet are missing.
// Throws std::runtime_error if there is a gap.
[[nodiscard]] std::vector<Transaction> read_transactions(
    const std::vector<std::filesystem::path>& logs, const std::string& root);

}  // namespace lockstep::chaos
