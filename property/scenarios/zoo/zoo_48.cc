// A wake flag cleared too late (made up): blocking code reuses one flag for all its watches. It
// clears the flag when its read of the znode in front has returned, although the watch exists since
// the server answered. If the thread is preempted before that, the watch event comes first, and the
// waiter waits for an event that it has already had. Correct: clear the flag before the read, or
// use one flag for each watch, as in lockstep::wait_in_queue.
#include <memory>
#include <optional>
#include <utility>

#include "lockstep/async_event.h"
#include "lockstep/blocking/run.h"
#include "lockstep/lab/blocking_scenario.h"
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_48 {

namespace {

// The state that the thread shares with the callbacks of its watches, which run on the client's
// executor.
class Watcher {
 public:
  explicit Watcher(Executor& executor) : fired(executor) {}

  // Reads the znode in front; from now on, its watch sets `fired`.
  Task<Result<void>> read(Session& session, Path znode) {
    auto data =
        co_await ok(retried(session, &Session::get_data_watched, std::move(znode), Context()));
    callbacks_.spawn(call_back(std::move(data.watch)));
    co_return Result<void>();
  }
  Task<Result<void>> wait() { co_return co_await fired.wait(); }

  AsyncEvent fired;

 private:
  Task<void> call_back(Watch watch) {
    static_cast<void>(co_await watch.fired());
    fired.set();
  }

  TaskSet callbacks_;
};

Result<void> await_change_of(Executor& executor, Session& session, const Path& znode,
                             Watcher& watcher) {
  const Result<void> read = blocking::run(executor, [&] { return watcher.read(session, znode); });
  if (!read) return read.error() == Error::kNoNode ? Result<void>() : read;
  // The flaw: the watch event may have come since the server answered.
  watcher.fired.reset();
  return blocking::run(executor, [&] { return watcher.wait(); });
}

// The evidence, if the lock was acquired.
Result<Zxid> wait_for_turn(Contender& self, Session& session, const Path& lock, const Path& ours) {
  Executor& executor = self.client().executor();
  Watcher watcher(executor);
  for (;;) {
    const Result<Children> queue = blocking::run(
        executor, [&] { return retried(session, &Session::get_children, lock, Context()); });
    if (!queue) return failure(queue.error());
    const Result<Position> position = position_of(ours.name(), kLockMark, *queue);
    if (!position) return failure(position.error());
    if (position->ahead == 0) return queue->parent().pzxid;
    self.oracles().waiting(session.id(), ours, position->ahead);
    const Result<void> changed =
        await_change_of(executor, session, lock / position->predecessor, watcher);
    if (!changed) return failure(changed.error());
  }
}

void hold_once(Contender& self, Session& session, const Path& lock) {
  const Attempt attempt(self, session.id());
  Executor& executor = self.client().executor();
  const Result<Created> ours = blocking::run(executor, [&] {
    return sound_create(session, lock, std::string(kLockMark), Data(), Context());
  });
  if (!ours) return;
  Place place(session, ours->path);
  self.oracles().place_reserved(session.id(), lock, ours->path);
  const Result<Zxid> evidence = wait_for_turn(self, session, lock, ours->path);
  if (!evidence) return self.oracles().gave_up(session.id(), lock, evidence.error());
  place.granted();
  HeldLock held(session, GrantRecord(session.id(), lock, ours->path, ours->stat.czxid, *evidence),
                &self.oracles());
  blocking::run(executor, [&] { return held.release(); });
}

Task<void> contend(Contender& self, Path lock, std::uint32_t rounds) {
  return self.on_fiber([&self, lock = std::move(lock), rounds] {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      if (!lab::blocking_session_id(self.client())) continue;
      const std::shared_ptr<Session> session = self.client().current();
      hold_once(self, *session, lock);
    }
  });
}

const Registered kRegistered{Scenario{"zoo-48-flag-cleared-late", "zoo", "L1",
                                      "Clears its wake flag after the read that has set the watch.",
                                      lab::ScenarioSize{3, 1}, &contenders<&contend>, "made up"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_48
