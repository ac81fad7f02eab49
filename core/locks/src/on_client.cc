#include "lockstep/on_client.h"

namespace lockstep::internal {

Error why_not_acquired(Error error, const Session& session, TimePoint began,
                       const Context& context) {
  const bool asked = !context.deadline() || *context.deadline() > began;
  if (error != Error::kTimedOut || !asked || session.last_contact() >= began) return error;
  return session.state() == SessionState::kConnected ? Error::kOperationTimeout
                                                     : Error::kNotConnected;
}

}  // namespace lockstep::internal
