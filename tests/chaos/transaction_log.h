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

// What the transaction log of a server says (its folder "version-2"; FileTxnLog in ZooKeeper's
// source tells the format), in the order of the zxids, of znodes below `root` and of sessions. The
// server may be running: what it has not written yet is missing. Throws std::runtime_error if the
// log has a gap.
[[nodiscard]] std::vector<Transaction> read_transactions(const std::filesystem::path& log,
                                                         const std::string& root);

}  // namespace lockstep::chaos
