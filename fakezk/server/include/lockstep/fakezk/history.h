#pragma once

#include <cstdint>
#include <vector>

#include "lockstep/data.h"
#include "lockstep/fakezk/access.h"
#include "lockstep/fakezk/path_table.h"
#include "lockstep/stat.h"

namespace lockstep::fakezk {

// The lifetime of a znode that no client deletes.
enum class Lifetime : std::uint8_t { kPersistent, kEphemeral, kContainer, kTtl };

inline constexpr SessionId kOperator = -1;
// The actor of a change that no transaction made: the servers have forgotten some (Z119), and this
// takes the tree back to what it was without them.
inline constexpr SessionId kForgetfulness = -2;

// One change of the tree, as the leader committed it. Every replica makes the same changes in the
// same order, and needs nothing else to do so.
struct Change {
  enum class Kind : std::uint8_t {
    kCreated,
    kDeleted,
    kDataSet,
    kAclSet,
    kChecked,  // Changes nothing; stands for the check of a multi among its other operations.
  };
  Kind kind;
  PathId path;
  Zxid zxid;
  // The session that asked; 0 for the servers themselves (a session's end, a reaped znode),
  // kOperator for a client outside the program, kForgetfulness for a change that was not requested.
  SessionId actor;
  SessionId owner;  // The znode's ephemeral owner, or 0.

  Data data = Data();                         // kCreated, kDataSet
  AclId acl = AclTable::kOpen;                // kCreated, kAclSet
  Lifetime lifetime = Lifetime::kPersistent;  // kCreated
  std::int64_t ttl_ms = 0;                    // kCreated with Lifetime::kTtl
  // kCreated: the parent's counter afterwards; kDataSet, kAclSet: the version afterwards.
  std::int32_t version = 0;
};

// Everything that was committed since the reset, in zxid order: what replicas apply and what
// oracles judge by. Writes that the servers forget stay in it, followed by the changes that the
// forgetting has made.
using History = std::vector<Change>;

}  // namespace lockstep::fakezk
