#pragma once

#include <optional>
#include <utility>

#include "lockstep/operation.h"

namespace lockstep::differential {

// A request under way, of any kind: sent when this is made, awaited for the reply as it is. So one
// coroutine can observe them all.
class Probe final : public internal::OperationBase {
 public:
  Probe(Session& session, Request request, bool watch)
      : OperationBase(session, request.op, Context()) {
    if (watch) watch_ = watch_of(request);
    send(std::move(request));
  }

  Reply& await_resume() { return reply_; }
  [[nodiscard]] std::optional<Error> failed() const override {
    if (reply_.is_error()) return reply_.error;
    return std::nullopt;
  }
  // As Session promises: only a read that worked leaves a watch, and exists also without a znode.
  [[nodiscard]] bool left_watch(OpCode op) const {
    return !reply_.is_error() || (op == OpCode::kExists && reply_.error == Error::kNoNode);
  }
  [[nodiscard]] const Watch& watch() const { return watch_; }

 private:
  void keep(Reply& reply) override { reply_ = std::move(reply); }

  Watch watch_;
  Reply reply_;
};

}  // namespace lockstep::differential
