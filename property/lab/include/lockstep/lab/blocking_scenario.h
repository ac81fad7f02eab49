#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "lockstep/blocking/run.h"
#include "lockstep/lab/lock_under_test.h"
#include "lockstep/lab/scenario.h"
#include "lockstep/ok.h"
#include "lockstep/sleep.h"

namespace lockstep::lab {

// The id of the client's session; blocks until it has one. For blocking code.
[[nodiscard]] inline Result<SessionId> blocking_session_id(Client& client) {
  constexpr auto ask = [](Client& of) -> Task<Result<SessionId>> {
    const std::shared_ptr<Session> session = co_await ok(of.session(Context()));
    co_return session->id();
  };
  return blocking::run(client.executor(), [&client, ask] { return ask(client); });
}

// Is at the resource that an exclusive lock protects until the holder learns that its session is
// over or can no longer be proven alive.
class InsideOfSession final : private SessionListener {
 public:
  InsideOfSession(Contender& self, Session& session)
      : resource_(self.resource()), session_(session) {
    resource_.enter(session_);
    session_.add_listener(*this);
  }
  InsideOfSession(const InsideOfSession&) = delete;
  InsideOfSession& operator=(const InsideOfSession&) = delete;
  ~InsideOfSession() {
    session_.remove_listener(*this);
    resource_.leave(session_);
  }

 private:
  void session_changed(SessionState state) override {
    if (is_over(state)) resource_.leave(session_);
  }
  void contact_changed(Contact contact) override {
    if (contact == Contact::kOver) resource_.leave(session_);
  }

  judge::SharedResource& resource_;
  Session& session_;
};

// Uses the protected resource for as long as one request takes, and longer if the chooser decides
// so (Contender::holding_time): SharedResource judges (S2) that no other contender uses it. That
// needs no report from the lock, so a lock that does nothing is noticed. If the lock has moved to
// another session during the acquire, the resource is left alone.
inline void work_inside(Contender& self, SessionId acquired_with) {
  const std::shared_ptr<Session> session = self.client().current();
  if (session->id() != acquired_with || is_over(session->state())) return;
  const InsideOfSession inside(self, *session);
  constexpr auto look = [](Contender& of, Session& with) -> Task<void> {
    static_cast<void>(co_await with.exists(Path()));
    const Duration time = of.holding_time();
    if (time == Duration::zero()) co_return;
    static_cast<void>(co_await sleep_for(of.client().executor(), time));
  };
  blocking::run(self.client().executor(), [&] { return look(self, *session); });
}

// The same contender as blocking code, with a mutex that std::unique_lock understands:
// Mutex(Client&, Path, LockObserver*) is one of lockstep/blocking's, or a user's own. A
// std::system_error from its functions ends the round.
template <class Mutex>
void block_for(Contender& self, const Path& lock, std::uint32_t rounds) {
  static_assert(std::constructible_from<Mutex, Client&, Path, LockObserver*>,
                "a hunt makes the lock as Mutex(Client&, Path, LockObserver*)");
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<SessionId> id = blocking_session_id(self.client());
    if (!id) continue;
    Mutex mutex(self.client(), lock, &self.oracles());
    std::unique_lock held(mutex, std::defer_lock);
    const std::optional<TimePoint> deadline = self.patience().deadline();
    self.oracles().acquiring(*id, self.client().process().index(), deadline);
    std::optional<Error> failure;
    try {
      if (!deadline) {
        held.lock();
      } else if (!held.try_lock_until(*deadline)) {
        failure = Error::kTimedOut;
      }
    } catch (const std::system_error&) {  // Nothing is held then.
    }
    self.oracles().resolved(*id, 0, failure);
    self.tried_blocking(held.owns_lock());
    if (held && self.holds_alone()) work_inside(self, *id);
  }
}
template <class Mutex>
Task<void> contend_blocking_for(Contender& self, Path lock, std::uint32_t rounds) {
  return self.on_fiber(
      [&self, lock = std::move(lock), rounds] { block_for<Mutex>(self, lock, rounds); });
}

// The same as a LockUnderTest; the last contender is impatient.
template <class Mutex>
[[nodiscard]] LockUnderTest blocking_lock_under_test(std::string name) {
  LockUnderTest lock(std::move(name), &contend_blocking_for<Mutex>);
  lock.last = lock.usual_last = LastContender::kImpatient;
  lock.isolated = true;
  lock.usual_contend = &contend_blocking_for<Mutex>;
  lock.source = "lockstep::lab::blocking_lock_under_test<" +
                lockstep::internal::type_name<Mutex>() + ">(\"" + lock.name + "\")";
  lock.include = "lockstep/lab/blocking_scenario.h";
  return lock;
}

}  // namespace lockstep::lab
