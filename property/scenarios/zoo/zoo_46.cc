// A timer that is not cancelled (made up): a client gives up its place after waiting for a second,
// but does not cancel that timer when the lock is granted. So its own session deletes the znode of
// a lock that it holds. Correct: lockstep::Place ends with the grant.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_46 {

namespace {

// The first request to stop decides: the timer gives up the place, or the client cancels it.
Task<void> give_up_later(Session& session, Path znode, std::stop_source timer) {
  const Context until_cancelled(timer.get_token());
  const Result<void> slept =
      co_await sleep_for(session.executor(), std::chrono::seconds(1), until_cancelled);
  const bool gives_up = slept && timer.request_stop() && !is_over(session.state());
  if (gives_up) remove_guaranteed(session, znode);
}

Task<Result<Zxid>> wait_for_a_second(Session& session, Path lock, Path ours, LockObserver* observer,
                                     Context context) {
  std::stop_source timer;
  session.in_background(give_up_later(session, ours, timer));
  const Result<Zxid> turn = co_await sound_wait(session, lock, ours, observer, std::move(context));
  // The flaw: this should cancel the timer, and fail if the timer was first.
  co_return turn;
}

using Mutex = AssembledMutex<&sound_create, &wait_for_a_second, NoPlace>;

const Registered kRegistered{
    Scenario{"zoo-46-alarm-not-called-off", "zoo", "S4",
             "Gives up its place after a second, even if it holds the lock by then.",
             lab::ScenarioSize{2, 1}, &contenders<&lab::contend_for<Mutex>>, "made up"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_46
