#pragma once

#include <cstddef>
#include <cstdint>

#include "lockstep/error.h"
#include "lockstep/fakezk/watch_table.h"
#include "lockstep/request.h"
#include "lockstep/stat.h"

namespace lockstep::fakezk {

// The number of a session on the servers, in the order of their creation.
using SessionIndex = std::uint32_t;
using ReplicaIndex = std::uint32_t;
inline constexpr SessionIndex kNoSession = static_cast<SessionIndex>(-1);
inline constexpr LinkIndex kNoLink = static_cast<LinkIndex>(-1);

// One entry of the leader's log; every replica applies the entries in this order. A failed write is
// an entry without changes. So is a sync, which takes no zxid: the replica of its connection
// answers it when it reaches this entry.
struct Txn {
  OpCode op = OpCode::kSync;
  bool opens_session = false;
  bool has_error = false;
  Error error = Error::kSystemError;
  std::int32_t failed_op = -1;  // for a multi
  Zxid zxid = 0;
  std::int64_t time_ms = 0;
  // The connection that waits for the answer; kNoLink for the servers' own transactions.
  LinkIndex origin = kNoLink;
  // The number of that link's connection; later connections get no answer.
  std::uint32_t connection = 0;
  SessionIndex session = kNoSession;
  std::size_t first_change = 0;  // index in the History
  std::size_t change_count = 0;
};

}  // namespace lockstep::fakezk
