#pragma once

#include <cstdint>

#include "lockstep/children.h"
#include "lockstep/create_mode.h"
#include "lockstep/data.h"
#include "lockstep/error.h"
#include "lockstep/path.h"
#include "lockstep/stat.h"

namespace lockstep {

namespace internal {
class WatchState;
}

// The operations of the seam.
enum class OpCode : std::uint8_t {
  kCreate,
  kRemove,
  kExists,
  kGetData,
  kSetData,
  kGetChildren,
  kSync,
  kClose,  // Ends the session.
};

[[nodiscard]] std::string_view name(OpCode op);
[[nodiscard]] constexpr bool is_read(OpCode op) {
  return op == OpCode::kExists || op == OpCode::kGetData || op == OpCode::kGetChildren;
}

// What a caller asks of a session, as a backend or a decorator sees it.
class Request {
 public:
  Request(OpCode op_code, Path znode) : op(op_code), path(std::move(znode)) {}

  OpCode op;
  CreateMode mode = CreateMode::kPersistent;
  std::int32_t version = -1;
  Path path;
  Data data;
  internal::WatchState* watch = nullptr;  // Registers a one-shot watch if the reply allows it.
};

// What comes back. Only the fields that the operation defines are set.
class Reply {
 public:
  Reply() : path(Text()) {}
  explicit Reply(Error failed) : error(failed), has_error(true), path(Text()) {}
  [[nodiscard]] static Reply ok() { return Reply(); }

  [[nodiscard]] bool is_error() const { return has_error; }

  Error error = Error::kSystemError;
  bool has_error = false;
  Stat stat;
  Path path;
  Data data;
  Children children;
};

}  // namespace lockstep
