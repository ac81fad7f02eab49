#include "zoo_34.h"

namespace lockstep::scenarios::zoo_34 {

Task<Result<HeldLock>> Mutex::acquire() {
  for (;;) {
    const Created ours =
        co_await ok(protected_create(session_, lock_, std::string(kLockMark), Data(), Context()));
    Place place(session_, ours.path);
    observer_->place_reserved(session_.id(), lock_, ours.path);
    const Children queue = co_await ok(retried(session_, &Session::get_children, lock_, Context()));
    const Position position = co_await ok(position_of(ours.path.name(), kLockMark, queue));
    if (position.ahead == 0) {
      place.granted();
      GrantRecord grant(session_.id(), lock_, ours.path, ours.stat.czxid, queue.parent().pzxid);
      co_return HeldLock(session_, std::move(grant), observer_);
    }
    observer_->waiting(session_.id(), ours.path, position.ahead);
    const Path predecessor = lock_ / position.predecessor;
    const auto ahead =
        co_await retried(session_, &Session::get_data_watched, predecessor, Context());
    if (ahead) co_await ok(ahead->watch.fired());
    // The flaw: should go back to the list, and keep its place.
  }
}

}  // namespace lockstep::scenarios::zoo_34
