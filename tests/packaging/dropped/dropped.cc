// Each statement drops an awaited result, and the compiler must warn. With KEPT, all results are
// kept or deliberately dropped, and no warning may appear. Only compiled.
#include "lockstep/fair_mutex.h"
#include "lockstep/sleep.h"

#ifdef KEPT
#define MAY_BE_DROPPED(awaited) static_cast<void>(awaited)
#else
#define MAY_BE_DROPPED(awaited) awaited
#endif

namespace lockstep {

Task<Result<void>> drop(Session& session, FairMutex& mutex) {
  MAY_BE_DROPPED(co_await mutex.acquire());                            // Drops a grant.
  MAY_BE_DROPPED(co_await ok(mutex.acquire()));                        // Drops a grant.
  MAY_BE_DROPPED(co_await session.sync("/"));                          // Drops an error.
  MAY_BE_DROPPED(co_await session.connected({}));                      // Drops an error.
  MAY_BE_DROPPED(co_await sleep_for(session.executor(), Duration()));  // Drops an error.
  HeldLock held = co_await ok(mutex.acquire());
  co_await held.release();  // A release's outcome may be dropped.
  co_return Result<void>();
}

}  // namespace lockstep
