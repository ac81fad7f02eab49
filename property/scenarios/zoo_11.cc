#include "zoo_11.h"

namespace lockstep::scenarios::zoo_11 {

namespace {

Task<Result<Created>> find(Session& session, Path parent, std::string guid, Context context) {
  for (;;) {
    co_await ok(session.connected(context));
    // The flaw: a sync should come first.
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

}  // namespace

Task<Result<Created>> create(Session& session, Path parent, std::string mark, Data data,
                             Context context) {
  std::string guid("_c_");
  guid += Guid(session.random()).view();
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

}  // namespace lockstep::scenarios::zoo_11
