#pragma once

#include "lockstep/error.h"
#include "lockstep/fakezk/path_table.h"
#include "lockstep/fakezk/txn.h"

namespace lockstep::fakezk {

// The request that the servers have handled last, and its outcome if that is known already.
struct Applied {
  OpCode op = OpCode::kSync;
  bool is_request = false;  // Otherwise a handshake or SetWatches.
  bool watches = false;     // A read that asks for a watch.
  Error error = Error::kSystemError;
  bool has_error = false;
  Zxid zxid = 0;
  PathId path = PathTable::kRoot;

  [[nodiscard]] static Applied failed(OpCode op, Error error) {
    return {.op = op, .is_request = true, .error = error, .has_error = true};
  }
};

}  // namespace lockstep::fakezk
