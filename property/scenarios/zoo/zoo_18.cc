// Close against a create in flight (CURATOR-18, CURATOR-3): close() deletes the znode that it
// knows. Afterwards the create's callback installs a znode that no object knows: a ghost leader.
// Correct: the callback checks whether the latch has been closed.
#include <optional>

#include "lockstep/async_event.h"
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_18 {

namespace {

class Latch {
 public:
  Latch(Session& with, Executor& executor) : session(with), settled(executor) {}

  void close() {
    closed = true;
    if (znode) remove_guaranteed(session, *znode);
  }

  Session& session;
  AsyncEvent settled;
  std::optional<Path> znode;
  bool closed = false;
};

Task<void> start(std::shared_ptr<Latch> latch, Path lock) {
  const Result<Created> created =
      co_await sound_create(latch->session, lock, std::string(kLockMark), Data(), Context());
  // The flaw: if the latch is closed by now, this should delete the znode.
  if (created) latch->znode = created->path;
  latch->settled.set();
}

Task<void> hold(Contender& self, Session& session, Path lock) {
  const auto latch = std::make_shared<Latch>(session, self.client().process());
  session.in_background(start(latch, lock));
  // The user waits until the latch has a place, or loses patience.
  static_cast<void>(co_await latch->settled.wait(self.patience()));
  latch->close();
}

const Registered kRegistered{
    Scenario{"zoo-18-close-against-create", "zoo", "S5",
             "Is closed while its create is in flight, and installs a ghost leader.",
             lab::ScenarioSize{2, 1}, &in_each_round<&hold, kImpatient>, "CURATOR-18, CURATOR-3"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_18
