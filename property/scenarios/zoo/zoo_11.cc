// Cleanup on a stale read (CURATOR-264): the reply to a create is lost. The client looks for its
// znode on a server that has not applied the create yet, does not find it, and creates another one.
// It then waits for itself. Correct: lockstep::take_place syncs before it looks.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_11 {

namespace {

Task<Result<Created>> find(Session& session, Path parent, std::string guid, Context context) {
  for (;;) {
    co_await ok(session.connected(context));
    // The flaw: this should sync first.
    const Result<Children> children = co_await session.get_children(parent, context);
    if (!children && outcome_unknown(children.error())) continue;
    if (!children) co_return failure(children.error());
    for (const std::string_view name : *children) {
      if (!name.starts_with(guid)) continue;
      const Stat stat = co_await ok(retried(session, &Session::exists, parent / name, context));
      co_return Created(parent / name, stat);
    }
    co_return failure(Error::kNoNode);
  }
}

Task<Result<Created>> create(Session& session, Path parent, std::string mark, Data data,
                             Context context) {
  const std::string guid = new_guid(session);
  const Path prefix = parent / (guid + mark);
  for (;;) {
    Result<Created> created =
        co_await session.create(prefix, data, CreateMode::kEphemeralSequential, context);
    if (!created && outcome_unknown(created.error())) {
      created = co_await find(session, parent, guid, context);
    }
    if (created || created.error() != Error::kNoNode) co_return std::move(created);
    co_await ok(ensure_parent(session, parent, context));
  }
}

const Registered kRegistered{
    Scenario{"zoo-11-cleanup-on-stale-read", "zoo", "L1",
             "Looks for its create on a server that has not applied it yet.",
             lab::ScenarioSize{2, 1}, &on_three_servers<WithCreate<&create>>, "CURATOR-264"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_11
