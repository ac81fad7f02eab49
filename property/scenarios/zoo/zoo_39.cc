// A timeout that does not limit (CURATOR-559): each of several attempts gets the whole time again,
// so an acquire of one second lasts three. Correct: lockstep::wait_in_queue passes one deadline on.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_39 {

namespace {

Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context) {
  Result<Zxid> turn = failure(Error::kTimedOut);
  for (int attempt = 0; attempt < 3; ++attempt) {
    // The flaw: each attempt gets a new deadline, if the caller has one at all.
    if (context.deadline()) context = Context(session.executor().now() + std::chrono::seconds(1));
    turn = co_await sound_wait(session, lock, ours, observer, context);
    if (turn || turn.error() != Error::kTimedOut) break;
  }
  co_return std::move(turn);
}

const Registered kRegistered{
    Scenario{"zoo-39-timeout-is-not-a-timeout", "zoo", "L4",
             "Gives its whole timeout to each of its attempts.", lab::ScenarioSize{2, 1},
             &lock_scenario<WithWait<&wait_for_turn>, kImpatient>, "CURATOR-559"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_39
