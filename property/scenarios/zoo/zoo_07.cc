// Create without GUID (zktools#2, zk-ruby#54, accumulo#637): the client repeats a create whose
// reply was lost. If the server had applied the first one, the session now has two places in the
// queue and waits for itself. Correct: lockstep::take_place.
#include "lockstep/guaranteed_remove.h"
#include "lockstep/ok.h"
#include "lockstep/sequence.h"
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_07 {

namespace {

Task<Result<Created>> create(Session& session, Path parent, std::string mark, Data data,
                             Context context) {
  std::string name("_c_");
  name += Guid(session.random()).view();
  const Path prefix = parent / (name + mark);
  for (;;) {
    Result<Created> created =
        co_await session.create(prefix, data, CreateMode::kEphemeralSequential, context);
    if (created && !keeps_order(*created)) {
      remove_guaranteed(session, created->path);
      co_return failure(Error::kNodeExists);
    }
    if (created || !outcome_unknown(created.error())) co_return std::move(created);
    // The flaw: this does not check whether the server applied the create.
    co_await ok(session.connected(context));
  }
}

const Registered kRegistered{
    Scenario{"zoo-07-create-without-guid", "zoo", "L1",
             "Repeats a create whose reply was lost, and waits for its own first znode.",
             lab::ScenarioSize{2, 1}, &lock_scenario<WithCreate<&create>>,
             "zktools#2, zk-ruby#54, accumulo#637"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_07
