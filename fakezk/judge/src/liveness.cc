// L4, and L1 wherever nothing can happen until time passes: a contender whose turn has come holds
// the lock, or will without the clock. Its client may need the clock to reconnect or to repeat a
// request; LockRules::idle_allowance is for that.
#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "lockstep/judge/lock_oracles.h"

namespace lockstep::judge {

using search::Oracle;

void LockOracles::resolved(SessionId session, std::uint32_t user, std::optional<Error> failure) {
  const auto pending = find_acquire(session, user);
  if (pending == acquiring_.end()) return;
  count(Oracle::kL1);
  if (pending->deadline) count(Oracle::kL4);
  // This process's clock set the deadline.
  const TimePoint now =
      pending->process == kNoProcess ? world_->now() : world_->process(pending->process).now();
  if (pending->deadline && now > *pending->deadline + fakezk::Faults::kPassedOver) {
    report_late(session, now - *pending->deadline);
  }
  if (failure == Error::kTimedOut && pending->deadline && now < *pending->deadline) {
    report_early(session, *pending->deadline - now);
  }
  acquiring_.erase(pending);
}

void LockOracles::at_rest(TimePoint until) {
  follow_server();
  for (Acquire& acquire : acquiring_) {
    const Life* const place = idle_place(acquire);
    if (!place) {
      acquire.idle_since.reset();
      continue;
    }
    // Contenders have come or gone since the last rest, or a fault has struck that may keep the
    // client away: the wait begins again.
    const std::uint32_t faults = world_->faults_injected();
    const bool same = acquire.changes == lives_.changes() && acquire.faults == faults;
    if (!acquire.idle_since || !same) {
      acquire.idle_since = world_->now();
      acquire.changes = lives_.changes();
      acquire.faults = faults;
    }
    if (until - *acquire.idle_since <= rules_.idle_allowance) continue;
    report_idle(*place, until - *acquire.idle_since);
    return;
  }
}

// A place that this acquire has taken, whose turn has come and which is not granted yet. The
// session lives and its process runs, so only the recipe keeps the lock from it.
const LockOracles::Life* LockOracles::idle_place(const Acquire& acquire) const {
  if (acquire.process == kNoProcess || world_->process(acquire.process).stalled()) return nullptr;
  if (!world_->server().session_alive(acquire.session)) return nullptr;
  const auto idle = std::ranges::find_if(lives_, [&](const Life& life) {
    return life.owner == acquire.session && life.deleted == 0 && life.created > acquire.began &&
           !was_granted(life) && is_its_turn(life);
  });
  return idle == lives_.end() ? nullptr : &*idle;
}

bool LockOracles::was_granted(const Life& life) const {
  const auto index = lives_.index_of(life);
  return std::ranges::find(grants_, index, &Grant::life) != grants_.end();
}

bool LockOracles::is_its_turn(const Life& own) const {
  const auto count = [&](auto matters) {
    return std::ranges::count_if(lives_, [&](const Life& other) {
      return other.lock == own.lock && other.deleted == 0 && matters(other);
    });
  };
  if (own.lease) {
    const auto leases = count([](const Life& other) { return other.lease; });
    return std::cmp_less_equal(leases, rules_.sure_capacity());
  }
  // An upgrade does not wait for its own reader, but other readers of its session look the same:
  // no writer behind one of them is judged.
  const auto in_front =
      count([&](const Life& other) { return blocks(other.contender, own.contender); });
  return std::cmp_less(in_front, rules_.holders);
}

void LockOracles::report_idle(const Life& place, Duration idle) {
  const auto idle_ms = std::chrono::duration_cast<std::chrono::milliseconds>(idle).count();
  report(Oracle::kL1, "it is the turn of " + std::string(text(place.znode)) +
                          ", but it does not hold the lock: only time passes, " +
                          std::to_string(idle_ms) + " ms of it");
}

}  // namespace lockstep::judge
