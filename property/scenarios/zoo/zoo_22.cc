// The parent vanishes (kazoo#563): the lock object creates its parent only once. The server deletes
// the empty container, the next create fails with NoNodeError, and that error escapes to the
// application. Correct: lockstep::take_place creates the parent again.
#include <stdexcept>

#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_22 {

namespace {

Task<Result<Created>> create(Session& session, Path parent, std::string mark, Data data,
                             Context context) {
  for (;;) {
    const std::string guid = new_guid(session);
    Result<Created> created = co_await session.create(parent / (guid + mark), data,
                                                      CreateMode::kEphemeralSequential, context);
    if (created || session_is_over(created.error())) co_return std::move(created);
    // The flaw: this should call ensure_parent() and create again.
    if (created.error() == Error::kNoNode) throw std::runtime_error("NoNodeError");
    remove_guaranteed_by_guid(session, parent, guid);
    co_await ok(session.connected(context));
  }
}

const Registered kRegistered{
    Scenario{"zoo-22-parent-vanishes", "zoo", "crash",
             "Creates its parent only once, and fails when the servers have reaped it.",
             lab::ScenarioSize{2, 2}, &lock_scenario<WithCreate<&create>>, "kazoo#563"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_22
