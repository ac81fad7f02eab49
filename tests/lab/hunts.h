#pragma once

#include <cstdint>
#include <string>

#include "lockstep/held_lock.h"
#include "lockstep/lab/hunt.h"
#include "lockstep/ok.h"

namespace lockstep::lab {

// Two clients pass once, without faults.
inline HuntSettings calm_hunt(std::uint64_t executions = 300) {
  return {.size = {2, 1}, .faults = fakezk::FaultPlan(), .executions = executions};
}

// The oracle that a hunt has broken; empty if none.
inline std::string broken(const HuntReport& report) {
  return report.failure ? report.failure->violation.oracle : "";
}

// Grants the lock to all contenders at once.
class EverybodysMutex {
 public:
  EverybodysMutex(Session& session, Path lock, LockObserver* observer)
      : session_(session), lock_(lock), observer_(observer) {}

  Task<Result<HeldLock>> acquire() {
    const Created ours =
        co_await ok(session_.create(lock_ / "x-lock-", Data(), CreateMode::kEphemeralSequential));
    GrantRecord grant(session_.id(), lock_, ours.path, ours.stat.czxid, ours.stat.czxid);
    co_return HeldLock(session_, std::move(grant), observer_);
  }

 private:
  Session& session_;
  Path lock_;
  LockObserver* observer_;
};

// Every contender gets in, whoever is inside.
inline Task<void> walk_in(Contender& self, Path, std::uint32_t) {
  const auto session = co_await self.client().session(Context());
  if (!session) co_return;
  self.resource().enter(**session);
  static_cast<void>(co_await (*session)->exists("/"));
  self.resource().leave(**session);
}

}  // namespace lockstep::lab
