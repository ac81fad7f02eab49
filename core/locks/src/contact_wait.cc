#include "lockstep/internal/contact_wait.h"

#include "lockstep/ok.h"
#include "lockstep/sleep.h"

namespace lockstep::internal {

namespace {

// How often it looks in a session timeout: the proof takes a quarter of one.
constexpr int kLooks = 32;

// The contender has no place in the queue yet, so kTimedOut would wrongly mean that its turn did
// not come.
Error why_it_ended(Error error) { return error == Error::kTimedOut ? Error::kContactLost : error; }

}  // namespace

Task<Result<void>> wait_for_contact(Session& session, LossPolicy loss, Context context) {
  const ContactKeeper keeper(session);
  while (loses_at_once(session, loss)) {
    const Result<void> connected = co_await session.connected(context);
    if (!connected) co_return failure(why_it_ended(connected.error()));
    const Result<void> slept =
        co_await sleep_for(session.executor(), session.timeout() / kLooks, context);
    if (!slept) co_return failure(why_it_ended(slept.error()));
  }
  co_return Result<void>();
}

}  // namespace lockstep::internal
