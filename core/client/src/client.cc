#include "lockstep/client.h"

#include "lockstep/ok.h"

namespace lockstep {

Task<Result<SessionRoom>> Client::session_with_room(std::size_t, Context context) {
  std::shared_ptr<Session> current = co_await ok(session(std::move(context)));
  co_return SessionRoom(std::move(current));
}

}  // namespace lockstep
