#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::chaos {

// One committed change of a znode.
struct Transaction {
  enum class Kind : std::uint8_t { kCreate, kDelete, kEndOfSession };
  Kind kind{};
  std::int64_t zxid = 0;
  std::int64_t session = 0;  // The session that sent the request.
  std::string path;          // Empty for the end of a session.
  bool ephemeral = false;
};

// Reads the transaction logs of an ensemble (folders "version-2"; format: FileTxnLog in ZooKeeper's
// source), in the order of the zxids: changes below `root` and ends of sessions. A server does not
// log what it gets in a snapshot, so all logs are merged. Transactions that a minority holds, such
// as a deposed leader, are left out, although its snapshots may contain them: it takes one when it
// tries to lead. If the servers run, transactions that they have not written yet are missing.
// Throws std::runtime_error if there is a gap.
[[nodiscard]] std::vector<Transaction> read_transactions(
    const std::vector<std::filesystem::path>& logs, const std::string& root);

}  // namespace lockstep::chaos
