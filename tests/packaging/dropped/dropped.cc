// Each statement drops an awaited result, and the compiler has to warn. Only compiled; with KEPT
// all results are kept, or dropped on purpose, and no warning may appear.
#include "lockstep/fair_mutex.h"
#include "lockstep/sleep.h"

#ifdef KEPT
#define MAY_BE_DROPPED(awaited) static_cast<void>(awaited)
#else
#define MAY_BE_DROPPED(awaited) awaited
#endif

namespace lockstep {

Task<Result<void>> drop(Session& session, FairMutex& mutex) {
  MAY_BE_DROPPED(co_await mutex.acquire());                            // A grant.
  MAY_BE_DROPPED(co_await ok(mutex.acquire()));                        // A grant.
  MAY_BE_DROPPED(co_await session.sync("/"));                          // An error.
  MAY_BE_DROPPED(co_await session.connected({}));                      // An error.
  MAY_BE_DROPPED(co_await sleep_for(session.executor(), Duration()));  // An error.
  HeldLock held = co_await ok(mutex.acquire());
  co_await held.release();  // Its outcome may be dropped.
  co_return Result<void>();
}

}  // namespace lockstep
