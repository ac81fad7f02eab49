#pragma once

#include <cstdint>
#include <vector>

#include "lockstep/fakezk/path_table.h"
#include "lockstep/stat.h"

namespace lockstep::fakezk {

// One change of the tree, as the server committed it.
struct Change {
  enum class Kind : std::uint8_t { kCreated, kDeleted, kDataSet };
  Kind kind;
  PathId path;
  Zxid zxid;
  SessionId actor;  // Who asked; 0 for the server itself (a session's end).
  SessionId owner;  // The znode's ephemeral owner, or 0.
};

// Everything that was committed since the reset, in zxid order: what oracles judge by.
using History = std::vector<Change>;

}  // namespace lockstep::fakezk
