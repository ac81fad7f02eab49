#include "zoo_09.h"

namespace lockstep::scenarios::zoo_09 {

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

}  // namespace lockstep::scenarios::zoo_09
