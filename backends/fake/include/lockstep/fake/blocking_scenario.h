#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "lockstep/blocking/run.h"
#include "lockstep/fake/lock_under_test.h"
#include "lockstep/fake/scenario.h"
#include "lockstep/ok.h"

namespace lockstep::fake {

// What the client's session is, or will be once it has one. For code that blocks.
[[nodiscard]] inline Result<SessionId> blocking_session_id(FakeClient& client) {
  constexpr auto ask = [](FakeClient& of) -> Task<Result<SessionId>> {
    const std::shared_ptr<Session> session = co_await ok(of.session(Context()));
    co_return session->id();
  };
  return blocking::run(client.executor(), [&client, ask] { return ask(client); });
}

// The same contender as code that blocks, with a mutex that std::unique_lock understands:
// Mutex(Client&, Path, LockObserver*) is one of lockstep/blocking's, or one's own. What its
// functions throw as std::system_error ends the round.
template <class Mutex>
void block_for(Contender& self, Path lock, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<SessionId> id = blocking_session_id(self.client());
    if (!id) continue;
    Mutex mutex(self.client(), lock, &self.oracles());
    std::unique_lock held(mutex, std::defer_lock);
    const std::optional<TimePoint> deadline = self.patience().deadline();
    self.oracles().acquiring(*id, self.client().process().index(), deadline);
    try {
      if (deadline) {
        static_cast<void>(held.try_lock_until(*deadline));
      } else {
        held.lock();
      }
    } catch (const std::system_error&) {
    }
    self.oracles().resolved(*id);
  }
}
template <class Mutex>
Task<void> contend_blocking_for(Contender& self, Path lock, std::uint32_t rounds) {
  return self.on_fiber([&self, lock, rounds] { block_for<Mutex>(self, lock, rounds); });
}

// The same for a hunt.
template <class Mutex>
[[nodiscard]] LockUnderTest blocking_lock_under_test(std::string name) {
  LockUnderTest lock(std::move(name), &contend_blocking_for<Mutex>);
  lock.source = "&lockstep::fake::contend_blocking_for<" + class_name(lock.name) + ">";
  return lock;
}

}  // namespace lockstep::fake
