// Missing parent, leaderless forever (CURATOR-724): the servers have reaped the latch's parent.
// Each candidate finds it missing and waits for a change. Correct: lockstep::take_place
// creates the parent.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_35 {

namespace {

Task<Result<Created>> create(Session& session, Path parent, std::string mark, Data data,
                             Context context) {
  for (;;) {
    const auto there = co_await ok(retried(session, &Session::exists_watched, parent, context));
    if (there.value) co_return co_await sound_create(session, parent, mark, data, context);
    // The flaw: this should create the parent.
    co_await ok(there.watch.fired(context));
  }
}

const Registered kRegistered{
    Scenario{"zoo-35-missing-parent", "zoo", "L1",
             "Finds its parent reaped, and waits until another client creates it.",
             lab::ScenarioSize{2, 2}, &lock_scenario<WithCreate<&create>>, "CURATOR-724"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_35
