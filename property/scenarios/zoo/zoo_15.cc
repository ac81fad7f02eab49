// Failed try and suspended cleanup (kazoo#732): a try that does not get the lock deletes its znode
// and swallows the error of that deletion. A connection loss there leaves the znode in the queue.
// Correct: lockstep::Place repeats the deletion until the znode is gone.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_15 {

namespace {

class SwallowingPlace {
 public:
  SwallowingPlace(Session& session, Path znode) : session_(session), znode_(std::move(znode)) {}
  SwallowingPlace(const SwallowingPlace&) = delete;
  SwallowingPlace& operator=(const SwallowingPlace&) = delete;
  ~SwallowingPlace() {
    if (!granted_ && !is_over(session_.state())) session_.in_background(remove(session_, znode_));
  }
  void granted() { granted_ = true; }

 private:
  static Task<void> remove(Session& session, Path znode) {
    // The flaw: this tries once, and ignores the result.
    static_cast<void>(co_await session.remove(std::move(znode)));
  }

  Session& session_;
  Path znode_;
  bool granted_ = false;
};

// Takes the lock if it is free; kConflict otherwise.
Task<Result<Zxid>> try_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                            Context context) {
  const Children queue = co_await ok(retried(session, &Session::get_children, lock, context));
  const Position position = co_await ok(position_of(ours.name(), kLockMark, queue));
  if (position.ahead == 0) co_return queue.parent().pzxid;
  if (observer) observer->waiting(session.id(), ours, position.ahead);
  co_return failure(Error::kConflict);
}

using Mutex = AssembledMutex<&sound_create, &try_turn, SwallowingPlace>;

const Registered kRegistered{
    Scenario{"zoo-15-swallowed-cleanup", "zoo", "S5",
             "Swallows the error of the deletion that should clean up after a failed try.",
             lab::ScenarioSize{2, 1}, &lock_scenario<Mutex>, "kazoo#732"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_15
