// Forgotten results. Each FORGOTTEN must cause a warning that contains the words in quotes; each
// FORGOTTEN_AFTER_AWAIT only with Clang: GCC 12 overlooks a co_await whose result is dropped.
// run.py only compiles this file.
#include "lockstep/fair_mutex.h"
#include "lockstep/sleep.h"

namespace lockstep {

Task<Result<void>> forgetful(Session& session, FairMutex& mutex) {
  mutex.acquire();                            // FORGOTTEN "co_await it, or spawn it"
  session.sync("/");                          // FORGOTTEN "co_await it"
  ok(mutex.acquire());                        // FORGOTTEN "write co_await ok(...)"
  failure(Error::kNoNode);                    // FORGOTTEN "return"
  co_await mutex.acquire();                   // FORGOTTEN_AFTER_AWAIT "released at once"
  co_await ok(mutex.acquire());               // FORGOTTEN_AFTER_AWAIT "released at once"
  co_await session.sync("/");                 // FORGOTTEN_AFTER_AWAIT "error goes unnoticed"
  sleep_for(session.executor(), Duration());  // FORGOTTEN "co_await it"
  co_return Result<void>();
}

}  // namespace lockstep
