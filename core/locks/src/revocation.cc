#include "lockstep/revocation.h"

#include "lockstep/contenders.h"
#include "lockstep/retried.h"

namespace lockstep {

Task<Result<void>> revoke(Session& session, Path lock, Marks marks, Context context) {
  // The session's server may not have seen yet who holds.
  co_await ok(settled(session, lock, context));
  for (;;) {
    const Children children = co_await ok(retried(session, &Session::get_children, lock, context));
    bool somebody_held = false;
    bool asked_somebody = false;
    for (const QueueEntry& entry : in_queue_order(lock, marks, children)) {
      if (!entry.holds) continue;
      somebody_held = true;
      const Result<Stat> asked =
          co_await set_data_retried(session, entry.znode, Data(kRevokeRequest), context);
      if (!asked && asked.error() != Error::kNoNode) co_return failure(asked.error());
      asked_somebody = asked_somebody || asked.has_value();
    }
    if (asked_somebody) co_return Result<void>();
    if (!somebody_held) co_return failure(Error::kNoNode);
    // All of them have left since the list: others may hold now.
  }
}

}  // namespace lockstep
