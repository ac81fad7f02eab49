#include "zoo_39.h"

namespace lockstep::scenarios::zoo_39 {

Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context) {
  Result<Zxid> turn = failure(Error::kTimedOut);
  for (int attempt = 0; attempt < 3; ++attempt) {
    // The flaw: a new second, if the caller has one at all.
    if (context.deadline()) context = Context(session.executor().now() + std::chrono::seconds(1));
    turn = co_await lockstep::wait_for_turn(session, lock, ours, observer, context);
    if (turn || turn.error() != Error::kTimedOut) break;
  }
  co_return std::move(turn);
}

}  // namespace lockstep::scenarios::zoo_39
