#include "zoo_07.h"

#include "lockstep/ok.h"

namespace lockstep::scenarios::zoo_07 {

Task<Result<Created>> create(Session& session, Path parent, std::string mark, Data data,
                             Context context) {
  std::string name("_c_");
  name += Guid(session.random()).view();
  const Path prefix = parent / (name + mark);
  for (;;) {
    Result<Created> created =
        co_await session.create(prefix, data, CreateMode::kEphemeralSequential, context);
    if (created || !outcome_unknown(created.error())) co_return std::move(created);
    // The flaw: nobody looks whether the create was applied.
    co_await ok(session.connected(context));
  }
}

}  // namespace lockstep::scenarios::zoo_07
