#include "lockstep/revocation.h"

#include "lockstep/contenders.h"
#include "lockstep/retried.h"

namespace lockstep {

namespace {

// Asking twice does no harm, so a request whose reply was lost is repeated without a check.
Task<Result<Stat>> ask(Session& session, Path holder, Context context) {
  Retry retry(session);
  for (;;) {
    Result<Stat> asked = co_await session.set_data(holder, Data(kRevokeRequest), -1, context);
    if (!is_transient(asked)) co_return std::move(asked);
    co_await ok(retry.after(asked.error(), context));
  }
}

}  // namespace

Task<Result<void>> revoke(Session& session, Path lock, Marks marks, Context context) {
  for (;;) {
    const Children children = co_await ok(retried(session, &Session::get_children, lock, context));
    bool somebody_held = false;
    bool asked_somebody = false;
    for (const QueueEntry& entry : in_queue_order(lock, marks, children)) {
      if (!entry.holds) continue;
      somebody_held = true;
      const Result<Stat> asked = co_await ask(session, entry.znode, context);
      if (!asked && asked.error() != Error::kNoNode) co_return failure(asked.error());
      asked_somebody = asked_somebody || asked.has_value();
    }
    if (asked_somebody) co_return Result<void>();
    if (!somebody_held) co_return failure(Error::kNoNode);
    // All of them have left since the list: others may hold now.
  }
}

}  // namespace lockstep
