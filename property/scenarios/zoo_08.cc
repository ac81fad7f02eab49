#include "zoo_08.h"

namespace lockstep::scenarios::zoo_08 {

Task<Result<Created>> create(Session& session, Path parent, std::string mark, Data data,
                             Context context) {
  std::string guid("_c_");
  guid += Guid(session.random()).view();
  for (;;) {
    Result<Created> created = co_await session.create(parent / (guid + mark), data,
                                                      CreateMode::kEphemeralSequential, context);
    if (created || !outcome_unknown(created.error())) co_return std::move(created);
    co_await ok(session.connected(context));
    co_await ok(session.sync(parent, context));
    // The flaw: an error here ends the search, and nobody takes care of the znode.
    const Children children = co_await ok(session.get_children(parent, context));
    for (const std::string_view name : children) {
      if (!name.starts_with(guid)) continue;
      const Stat stat = co_await ok(session.exists(parent / name, context));
      co_return Created(parent / name, stat);
    }
  }
}

}  // namespace lockstep::scenarios::zoo_08
