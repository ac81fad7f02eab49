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
  std::int64_t session = 0;  // Whose request it was.
  std::string path;          // None for the end of a session.
  bool ephemeral = false;
};

// What the transaction logs of an ensemble say (folders "version-2"; FileTxnLog in ZooKeeper's
// source tells the format), in the order of the zxids, of znodes below `root` and of sessions. A
// server that was sent a snapshot has not logged what that contains, so all logs are taken
// together. What a leader logged that was deposed before anybody else had it is not part of it. The
// servers may be running: what they have not written yet is missing. Throws std::runtime_error if
// there is a gap.
[[nodiscard]] std::vector<Transaction> read_transactions(
    const std::vector<std::filesystem::path>& logs, const std::string& root);

}  // namespace lockstep::chaos
