// Holders that rely on HeldLock::valid_until().
#include <optional>
#include <utility>

#include "inside.h"
#include "parts.h"
#include "recipes.h"
#include "registry.h"

namespace lockstep::scenarios {

namespace {

// The proof is renewed as often. A client without faults has a proof after kLooksToProve looks.
constexpr int kLooks = 7;
constexpr int kLooksToProve = 3;

std::optional<TimePoint> look(Contender& self, const HeldLock& held, int looks) {
  const std::optional<TimePoint> until = held.valid_until();
  const TimePoint now = self.client().executor().now();
  const bool over = until && *until <= now;
  if (over && held.state() == LockState::kHeld) {
    self.oracles().violated("user:suspect", "a grant whose proof is over is held");
  }
  const bool calm = self.client().process().world().kinds_injected() == 0;
  if (calm && looks >= kLooksToProve && (!until || over)) {
    self.oracles().violated("user:proof", "nothing has happened, and nothing is proven");
  }
  return until;
}

// Checks the proof while it is extended, and when it ends.
Task<void> rely(Contender& self, Session& session, const HeldLock& held, Inside& inside) {
  Executor& executor = self.client().executor();
  const Context unless_lost(held.lost_token());
  // Offset from the servers' ticks, at whose end sessions expire.
  static_cast<void>(co_await sleep_for(executor, session.timeout() / 16, unless_lost));
  std::optional<TimePoint> until;
  for (int looks = 0; looks < kLooks; ++looks) {
    if (looks > 0) {
      static_cast<void>(co_await sleep_for(executor, session.timeout() / 6, unless_lost));
    }
    // A server that is cut off from the others answers this read too, so it must prove nothing.
    static_cast<void>(co_await session.exists(Path("/"), unless_lost));
    const std::optional<TimePoint> proven = look(self, held, looks);
    if (proven) until = proven;
    if (proven) inside.rely(*proven);
  }
  if (!until) co_return;
  static_cast<void>(co_await sleep_until(executor, *until - Duration(1), unless_lost));
  inside.rely(*until);
  static_cast<void>(co_await sleep_until(executor, *until, unless_lost));
  static_cast<void>(look(self, held, kLooks));
}

Task<void> hold(Contender& self, Session& session, Path path, std::uint32_t role) {
  FairMutex mutex(session, path, &self.oracles());
  const Context patience = self.patience();
  std::optional<Attempt> attempt;
  attempt.emplace(self, session.id(), patience);
  Result<HeldLock> held = co_await mutex.acquire(patience);
  attempt.reset();
  if (!held) co_return;
  std::optional<Inside> inside;
  inside.emplace(self, session, held->cause());
  if (role % 2 == 0) {
    inside->leave_at(held->lost_token());
    co_await rely(self, session, *held, *inside);
  }
  inside.reset();
  static_cast<void>(co_await held->release());
}

Task<void> hold_until(Contender& self, Path lock, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
    const std::uint32_t role = self.client().process().index() + round;
    if (session) co_await hold(self, **session, lock, role);
  }
}

}  // namespace

lab::LockUnderTest fair_mutex_valid_until() {
  lab::LockUnderTest lock =
      contention(&hold_until, lab::LastContender::kImpatient, judge::mutex_rules(), 3);
  lock.tick_time = fake::FakeClient::kDefaultTimeout / 2;
  return lock;
}

}  // namespace lockstep::scenarios
