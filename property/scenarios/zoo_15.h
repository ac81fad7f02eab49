#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_15 {

// Failed try and suspended cleanup (kazoo#732): a try that does not get the lock deletes its znode,
// and an error of that deletion is swallowed. A connection loss there leaves the znode in the
// queue. Correct: lockstep::Place, which goes on until the znode is gone.
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
  static Task<void> remove(Session& session, Path znode);

  Session& session_;
  Path znode_;
  bool granted_ = false;
};

// Takes the lock if it is free; kTimedOut otherwise.
Task<Result<Zxid>> try_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                            Context context);

}  // namespace lockstep::scenarios::zoo_15
