// One place for a whole session (ZooKeeper's WriteLock, which looks for the id of its session in
// the names of the queue): an acquire adopts any place of its session, so that it does not repeat a
// create whose answer was lost. But several users of a process share one session: the second one
// finds the place of the first, and both hold the lock through it. Correct: a place belongs to one
// acquire, whose GUID its name carries, as in lockstep::take_place.
#include <memory>
#include <utility>

#include "lockstep/lab/users.h"
#include "scenarios/broken_lock.h"
#include "scenarios/inside.h"

namespace lockstep::scenarios::zoo_56 {

namespace {

class Queue {
 public:
  Queue(Session& session, Path lock) : session_(session), lock_(std::move(lock)) {}

  // A place that this session already has; kNoNode if there is none.
  Task<Result<Created>> place_of_session() {
    const Children queue = co_await ok(retried(session_, &Session::get_children, lock_, Context()));
    for (const std::string_view child : queue) {
      const Path znode = lock_ / child;
      const Result<Stat> stat = co_await retried(session_, &Session::exists, znode, Context());
      if (stat && stat->ephemeral_owner == session_.id()) co_return Created(znode, *stat);
    }
    co_return failure(Error::kNoNode);
  }
  Task<Result<Created>> new_place() {
    return sound_create(session_, lock_, std::string(kLockMark), Data(), Context());
  }

 private:
  Session& session_;
  Path lock_;
};

Task<Result<HeldLock>> acquire_on(Session& session, Path lock) {
  Queue queue(session, lock);
  // The flaw: the session's place may be another user's.
  Result<Created> ours = co_await queue.place_of_session();
  if (!ours) ours = co_await queue.new_place();
  if (!ours) co_return failure(ours.error());
  Place place(session, ours->path);
  co_await ok(keeps_order(*ours));
  const Zxid evidence = co_await ok(sound_wait(session, lock, ours->path, nullptr, Context()));
  place.granted();
  GrantRecord grant(session.id(), lock, ours->path, ours->stat.czxid, evidence);
  co_return HeldLock(session, std::move(grant), nullptr);
}

// No grant is reported to the oracles: the resource judges.
Task<void> use(lab::User& user, std::shared_ptr<Session> session, Path lock, bool comes_later) {
  if (comes_later) static_cast<void>(co_await session->exists(lock));
  Result<HeldLock> held = co_await acquire_on(*session, lock);
  if (!held) co_return;
  {
    Inside inside(user, *session, held->cause());
    inside.leave_at(held->suspect_token());
    const auto looked = co_await session->exists(lock);
    if (looked) static_cast<void>(co_await session->exists(lock));
  }
  static_cast<void>(co_await held->release());
}

Task<void> hold(Contender& self, Session& session, Path lock) {
  static_cast<void>(co_await session.exists(lock));
  const bool comes_later = self.client().process().world().draw(2) != 0;
  lab::Users users(self);
  users.start([&](lab::User& user) { return use(user, self.client().current(), lock, false); });
  users.start(
      [&](lab::User& user) { return use(user, self.client().current(), lock, comes_later); });
  co_await users.join();
}

const Registered kRegistered{
    Scenario{"zoo-56-place-of-the-session", "zoo", "S2",
             "Adopts a place in the queue that another user of the same session has.",
             lab::ScenarioSize{2, 1}, &in_each_round<&hold>, "ZooKeeper's WriteLock"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_56
