#include "zoo_22.h"

#include <stdexcept>

namespace lockstep::scenarios::zoo_22 {

Task<Result<Created>> create(Session& session, Path parent, std::string mark, Data data,
                             Context context) {
  for (;;) {
    std::string guid("_c_");
    guid += Guid(session.random()).view();
    Result<Created> created = co_await session.create(parent / (guid + mark), data,
                                                      CreateMode::kEphemeralSequential, context);
    if (created || session_is_over(created.error())) co_return std::move(created);
    // The flaw: should be ensure_parent(), and once more.
    if (created.error() == Error::kNoNode) throw std::runtime_error("NoNodeError");
    remove_guaranteed_by_guid(session, parent, guid);
    co_await ok(session.connected(context));
  }
}

}  // namespace lockstep::scenarios::zoo_22
