#pragma once

#include <cstdint>

#include "lockstep/internal/language.h"

namespace lockstep {

// ZooKeeper's transaction id: every write takes the next one, even if it fails.
using Zxid = std::int64_t;

// ZooKeeper's session id; 0 means no session.
using SessionId = std::int64_t;

// The Stat structure of a znode (ZooKeeper Programmer's Guide, "ZooKeeper Stat Structure").
struct Stat {
  Zxid czxid = 0;             // The create.
  Zxid mzxid = 0;             // The last set of the data.
  std::int64_t ctime_ms = 0;  // The server's clock at the create, milliseconds since the epoch.
  std::int64_t mtime_ms = 0;  // The same at the last set of the data.
  std::int32_t version = 0;   // Sets of the data.
  std::int32_t cversion = 0;  // Creates plus deletes of children.
  std::int32_t aversion = 0;  // Sets of the ACL.
  SessionId ephemeral_owner = 0;
  std::int32_t data_length = 0;
  std::int32_t num_children = 0;
  Zxid pzxid = 0;  // The last create or delete of a child.

  friend bool operator==(const Stat&, const Stat&) = default;
};

}  // namespace lockstep
