#pragma once

#include <optional>
#include <utility>

#include "lockstep/operation.h"

namespace lockstep::differential {

// A request of any kind in flight: the constructor sends it, co_await returns its raw reply. One
// coroutine can thus observe all kinds.
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
  // Session's contract: only a successful read sets a watch; exists also does without a znode.
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
