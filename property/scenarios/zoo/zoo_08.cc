// GUID, but the retries run out (CURATOR-45): the reply to the create is lost, and so is the reply
// to the search for the new znode. The acquire gives up and leaves the znode until the session
// ends. Correct: lockstep::take_place goes on searching, or hands the GUID to a background
// deletion.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_08 {

namespace {

Task<Result<Created>> create(Session& session, Path parent, std::string mark, Data data,
                             Context context) {
  const std::string guid = new_guid(session);
  for (;;) {
    Result<Created> created = co_await session.create(parent / (guid + mark), data,
                                                      CreateMode::kEphemeralSequential, context);
    if (created || !outcome_unknown(created.error())) co_return std::move(created);
    co_await ok(session.connected(context));
    co_await ok(session.sync(parent, context));
    // The flaw: an error here ends the search and leaves the znode.
    const Children children = co_await ok(session.get_children(parent, context));
    for (const std::string_view name : children) {
      if (!name.starts_with(guid)) continue;
      const Stat stat = co_await ok(session.exists(parent / name, context));
      co_return Created(parent / name, stat);
    }
  }
}

const Registered kRegistered{
    Scenario{"zoo-08-retries-exhausted", "zoo", "S5",
             "Gives up the search for its own create, and leaves the znode that it has created.",
             lab::ScenarioSize{2, 1}, &lock_scenario<WithCreate<&create>>, "CURATOR-45"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_08
