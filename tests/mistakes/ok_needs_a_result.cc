// ok() ends a coroutine with an error, which this coroutine cannot return: it does not compile, and
// the compiler says why. RETURNS is the return type; with Result<int> it compiles.
#include "lockstep/fair_mutex.h"

namespace lockstep {

Task<RETURNS> awaits_a_task(FairMutex& mutex) {
  const HeldLock held = co_await ok(mutex.acquire());
  co_return RETURNS();
}

Task<RETURNS> awaits_an_operation(Session& session) {
  co_await ok(session.sync("/"));
  co_return RETURNS();
}

Task<RETURNS> awaits_a_result(Result<int> result) {
  static_cast<void>(co_await ok(result));
  co_return RETURNS();
}

}  // namespace lockstep
