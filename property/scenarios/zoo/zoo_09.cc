// Cancel in create (CURATOR-79, CURATOR-62): the caller gives up while the reply to the create is
// under way; an exit that is no error of ZooKeeper's goes past the cleanup. Correct:
// lockstep::protected_create, whose guard cleans up whatever way it is left.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_09 {

namespace {

Task<Result<Created>> create(Session& session, Path parent, std::string mark, Data data,
                             Context context) {
  std::string guid("_c_");
  guid += Guid(session.random()).view();
  Result<Created> created = co_await session.create(parent / (guid + mark), data,
                                                    CreateMode::kEphemeralSequential, context);
  if (!created && outcome_unknown(created.error())) {
    remove_guaranteed_by_guid(session, parent, guid);
  }
  // The flaw: kTimedOut and kCancelled are errors of ours, and the create may be applied as well.
  co_return std::move(created);
}

const Registered kRegistered{
    Scenario{"zoo-09-cancel-in-create", "zoo", "S5",
             "Is cancelled while its create is under way, and leaves behind what it has created.",
             lab::ScenarioSize{2, 1}, &lock_scenario<WithCreate<&create>, kImpatient>,
             "CURATOR-79, CURATOR-62"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_09
