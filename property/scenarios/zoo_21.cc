#include "zoo_21.h"

namespace lockstep::scenarios::zoo_21 {

Task<Result<Created>> create(Session& session, Path parent, std::string mark, Data data,
                             Context context) {
  // The flaw.
  const Path probe("/probe-");
  co_await ok(session.create(probe, Data(), CreateMode::kEphemeralSequential, context));
  co_return co_await protected_create(session, parent, mark, data, context);
}

}  // namespace lockstep::scenarios::zoo_21
