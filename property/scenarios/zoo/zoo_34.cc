// Reset storm (CURATOR-644): when the znode in front is deleted, this mutex gives up its own place
// and starts over with a new one. The next contender sees its predecessor go and does the same, and
// so on in a circle. Correct: the waiter keeps its place and reads the list again, as in
// lockstep::wait_in_queue.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_34 {

namespace {

class Mutex {
 public:
  Mutex(Session& session, Path lock, LockObserver* observer)
      : session_(session), lock_(std::move(lock)), observer_(observer) {}

  Task<Result<HeldLock>> acquire() {
    for (;;) {
      const Created ours =
          co_await ok(sound_create(session_, lock_, std::string(kLockMark), Data(), Context()));
      Place place(session_, ours.path);
      observer_->place_reserved(session_.id(), lock_, ours.path);
      const Children queue =
          co_await ok(retried(session_, &Session::get_children, lock_, Context()));
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
      // The flaw: this should keep its place and read the list again.
    }
  }

 private:
  Session& session_;
  Path lock_;
  LockObserver* observer_;
};

const Registered kRegistered{Scenario{"zoo-34-reset-storm", "zoo", "livelock",
                                      "Gives up its place whenever the znode in front is deleted.",
                                      lab::ScenarioSize{3, 1}, &lock_scenario<Mutex>,
                                      "CURATOR-644"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_34
