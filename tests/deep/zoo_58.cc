// Gives up at the third loss (after CURATOR-45): a client whose create was lost searches for its
// znode by the GUID again and again. But its retry policy counts: the third connection loss in one
// acquire ends the search, and the znode stays until the session ends. Correct:
// lockstep::take_place goes on searching, or hands the GUID to a background deletion.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_58 {

namespace {

// Returns our znode, if an earlier attempt has created it, or a new one.
Task<Result<Created>> find_or_create(Session& session, Path parent, std::string guid,
                                     std::string mark, bool may_be_there) {
  if (may_be_there) {
    co_await ok(session.connected());
    co_await ok(session.sync(parent));
    const Children children = co_await ok(session.get_children(parent));
    for (const std::string_view name : children) {
      if (!name.starts_with(guid)) continue;
      const Stat stat = co_await ok(session.exists(parent / name));
      co_return Created(parent / name, stat);
    }
  }
  co_return co_await session.create(parent / (guid + mark), Data(),
                                    CreateMode::kEphemeralSequential);
}

Task<Result<Created>> create(Session& session, Path parent, std::string mark, Data, Context) {
  const std::string guid = new_guid(session);
  std::uint32_t losses = 0;
  for (;;) {
    Result<Created> created = co_await find_or_create(session, parent, guid, mark, losses > 0);
    if (!outcome_unknown(created)) co_return std::move(created);
    ++losses;
    // The flaw: the znode may be there.
    if (losses == 3) co_return std::move(created);
  }
}

const Registered kRegistered{Scenario{
    "zoo-58-third-loss-is-the-last", "zoo", "S5",
    "Gives up at the third lost connection, and leaves behind what it has created.",
    lab::ScenarioSize{2, 1}, &lock_scenario<WithCreate<&create>>, "CURATOR-45", false, 3, 100'000}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_58
