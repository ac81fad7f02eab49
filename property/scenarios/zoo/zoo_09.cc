// Cancel in create (CURATOR-79, CURATOR-62): the caller gives up while the reply to the create is
// in flight. This exit is not one of ZooKeeper's errors, so it bypasses the cleanup. Correct:
// lockstep::take_place has a guard that cleans up on every exit.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_09 {

namespace {

Task<Result<Created>> create(Session& session, Path parent, std::string mark, Data data,
                             Context context) {
  const std::string guid = new_guid(session);
  Result<Created> created = co_await session.create(parent / (guid + mark), data,
                                                    CreateMode::kEphemeralSequential, context);
  if (!created && outcome_unknown(created.error())) {
    remove_guaranteed_by_guid(session, parent, guid);
  }
  // The flaw: this ignores kTimedOut and kCancelled, after which the create may be applied too.
  co_return std::move(created);
}

const Registered kRegistered{
    Scenario{"zoo-09-cancel-in-create", "zoo", "S5",
             "Is cancelled while its create is in flight, and leaves the znode that it creates.",
             lab::ScenarioSize{2, 1}, &lock_scenario<WithCreate<&create>, kImpatient>,
             "CURATOR-79, CURATOR-62"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_09
