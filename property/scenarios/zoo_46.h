#pragma once

#include <chrono>
#include <stop_token>

#include "parts.h"

namespace lockstep::scenarios::zoo_46 {

// An alarm that nobody calls off (made up): who waits for a second gives its place up, and forgets
// to take that back when the lock is granted. So its own session deletes the znode of a lock that
// is held. Correct: lockstep::Place, which is done with when the grant is there.
class TimedPlace {
 public:
  TimedPlace(Session& session, const Path& znode);
  TimedPlace(const TimedPlace&) = delete;
  TimedPlace& operator=(const TimedPlace&) = delete;
  ~TimedPlace() = default;
  void granted();

 private:
  std::stop_source alarm_;
};

}  // namespace lockstep::scenarios::zoo_46
