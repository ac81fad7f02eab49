#include "zoo_07.h"

#include "lockstep/guaranteed_remove.h"
#include "lockstep/ok.h"
#include "lockstep/sequence.h"

namespace lockstep::scenarios::zoo_07 {

Task<Result<Created>> create(Session& session, Path parent, std::string mark, Data data,
                             Context context) {
  std::string name("_c_");
  name += Guid(session.random()).view();
  const Path prefix = parent / (name + mark);
  for (;;) {
    Result<Created> created =
        co_await session.create(prefix, data, CreateMode::kEphemeralSequential, context);
    if (created && !keeps_order(sequence_number(created->path.name(), mark).value_or(0))) {
      remove_guaranteed(session, created->path);
      co_return failure(Error::kNodeExists);
    }
    if (created || !outcome_unknown(created.error())) co_return std::move(created);
    // The flaw: nobody looks whether the create was applied.
    co_await ok(session.connected(context));
  }
}

}  // namespace lockstep::scenarios::zoo_07
