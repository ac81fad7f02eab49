#pragma once

#include <utility>

#include "lockstep/operation.h"

namespace lockstep::differential {

// A request under way, of any kind: sent when this is made, awaited for the reply as it is. So one
// coroutine can observe them all.
class Probe final : public internal::OperationBase {
 public:
  Probe(Session& session, Request request, bool watch)
      : OperationBase(session, std::move(request), watch ? Leaves::kWatch : Leaves::kNoWatch,
                      Context()) {}

  Reply& await_resume() { return reply_; }
  // As Session promises: only a read that worked leaves a watch, and exists also without a znode.
  [[nodiscard]] bool left_watch(OpCode op) const {
    return !reply_.is_error() || (op == OpCode::kExists && reply_.error == Error::kNoNode);
  }
  [[nodiscard]] const Watch& watch() const { return watch_; }
};

}  // namespace lockstep::differential
