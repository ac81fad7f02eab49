#include "zoo_15.h"

namespace lockstep::scenarios::zoo_15 {

Task<void> SwallowingPlace::remove(Session& session, Path znode) {
  // The flaw: once, whatever comes of it.
  static_cast<void>(co_await session.remove(std::move(znode)));
}

Task<Result<Zxid>> try_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                            Context context) {
  const Children queue = co_await ok(retried(session, &Session::get_children, lock, context));
  const Position position = co_await ok(position_of(ours.name(), kLockMark, queue));
  if (position.ahead == 0) co_return queue.parent().pzxid;
  if (observer) observer->waiting(session.id(), ours, position.ahead);
  co_return failure(Error::kTimedOut);
}

}  // namespace lockstep::scenarios::zoo_15
