// A timer that is not cancelled (made up): a client gives up its place after waiting for a second,
// but does not cancel that timer when the lock is granted. So its own session deletes the znode of
// a lock that it holds. Correct: lockstep::Place ends with the grant.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_46 {

namespace {

Task<void> give_up_later(Session& session, Path znode, std::stop_token called_off) {
  const Context unless_called_off(called_off);
  const Result<void> slept =
      co_await sleep_for(session.executor(), std::chrono::seconds(1), unless_called_off);
  // The grant may have come after the timer had fired.
  const bool gives_up = slept && !called_off.stop_requested() && !is_over(session.state());
  if (gives_up) remove_guaranteed(session, znode);
}

class TimedPlace {
 public:
  TimedPlace(Session& session, const Path& znode) {
    session.in_background(give_up_later(session, znode, alarm_.get_token()));
  }
  TimedPlace(const TimedPlace&) = delete;
  TimedPlace& operator=(const TimedPlace&) = delete;
  ~TimedPlace() = default;
  // The flaw: this should cancel the timer.
  void granted() {}

 private:
  std::stop_source alarm_;
};

using Mutex = AssembledMutex<&sound_create, &sound_wait, TimedPlace>;

const Registered kRegistered{
    Scenario{"zoo-46-alarm-not-called-off", "zoo", "S4",
             "Gives up its place after a second, even if it holds the lock by then.",
             lab::ScenarioSize{2, 1}, &contenders<&lab::contend_for<Mutex>>, "made up"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_46
