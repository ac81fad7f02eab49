#include "fault_plan.h"

#include <utility>
#include <vector>

namespace lockstep::service {

namespace {

// Ignores refusals: a session or server may have changed since the plan looked.
void whatever(const Control::Done& done) { static_cast<void>(done); }

}  // namespace

PlannedFaults::Next PlannedFaults::next() {
  constexpr std::uint32_t kParts = 1000;
  Next next;
  next.kind = plan_.kinds[random_.below(static_cast<std::uint32_t>(plan_.kinds.size()))];
  next.victim = random_.below(0xffff);
  next.pause = plan_.every / 2 + plan_.every * random_.below(kParts) / kParts;
  return next;
}

void FaultPlan::end_lasting_fault() {
  if (end_) std::exchange(end_, nullptr)();
}

void FaultPlan::wait() {
  const PlannedFaults::Next next = faults_.next();
  timer_.expires_after(next.pause);
  const std::weak_ptr<FaultPlan*> self = self_;
  timer_.async_wait([self, next](const boost::system::error_code& error) {
    const auto alive = self.lock();
    if (error || !alive) return;
    FaultPlan& plan = **alive;
    plan.end_lasting_fault();
    plan.strike(next);
    plan.wait();
  });
}

void FaultPlan::strike(const PlannedFaults::Next& next) {
  switch (next.kind) {
    case PlannedFault::kChangeLeader: return whatever(control_.change_leader());
    case PlannedFault::kRefuse:
    case PlannedFault::kLag: return strike_server(next);
    default: return strike_session(next);
  }
}

void FaultPlan::strike_session(const PlannedFaults::Next& next) {
  std::vector<SessionId> ids;
  for (const Control::Session& session : control_.sessions()) {
    if (session.connected) ids.push_back(session.id);
  }
  if (ids.empty()) return;
  const SessionId victim = ids[next.victim % ids.size()];
  switch (next.kind) {
    case PlannedFault::kExpire: return whatever(control_.expire(victim));
    case PlannedFault::kCut: return whatever(control_.cut(victim));
    case PlannedFault::kLoseRequest: return whatever(control_.lose_request({}, victim));
    case PlannedFault::kLoseReply: return whatever(control_.lose_reply({}, victim));
    case PlannedFault::kDelay:
      end_ = [this, victim] { whatever(control_.delay(victim, Duration::zero())); };
      return whatever(control_.delay(victim, faults_.every() / 2));
    default:
      end_ = [this, victim] { whatever(control_.resume(victim)); };
      return whatever(control_.stall(victim));
  }
}

void FaultPlan::strike_server(const PlannedFaults::Next& next) {
  const auto servers = static_cast<std::uint32_t>(control_.servers().size());
  const std::uint32_t victim = next.victim % servers;
  if (next.kind == PlannedFault::kLag) {
    end_ = [this, victim] { whatever(control_.lag(victim, false)); };
    return whatever(control_.lag(victim, true));
  }
  end_ = [this, victim] { whatever(control_.refuse(victim, false)); };
  return whatever(control_.refuse(victim, true));
}

}  // namespace lockstep::service
