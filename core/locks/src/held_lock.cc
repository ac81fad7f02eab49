#include "lockstep/held_lock.h"

#include "lockstep/async_event.h"
#include "lockstep/internal/check.h"
#include "lockstep/internal/frame_pool.h"
#include "lockstep/internal/grant.h"
#include "lockstep/ok.h"

namespace lockstep {

std::string_view name(ReleaseOutcome outcome) {
  switch (outcome) {
    case ReleaseOutcome::kReleased: return "released";
    case ReleaseOutcome::kAlreadyLost: return "already lost";
    case ReleaseOutcome::kUnknown: return "unknown";
  }
  return "unknown outcome";
}

std::string_view name(LockState state) {
  switch (state) {
    case LockState::kHeld: return "held";
    case LockState::kSuspect: return "suspect";
    case LockState::kLost: return "lost";
    case LockState::kReleased: return "released";
  }
  return "unknown state";
}

std::string_view name(LossPolicy policy) {
  switch (policy) {
    case LossPolicy::kOwnClock: return "own clock";
    case LossPolicy::kOnSuspicion: return "on suspicion";
    case LossPolicy::kServerNotice: return "server notice";
  }
  return "unknown policy";
}

HeldLock::HeldLock(Session& session, GrantRecord grant, LockObserver* observer)
    : HeldLock(session, std::move(grant), observer, GrantOptions()) {}
HeldLock::HeldLock(Session& session, GrantRecord&& grant, LockObserver* observer,
                   GrantOptions&& options)
    : grant_(internal::Ref<Grant>::make(session, std::move(grant), observer, std::move(options))) {}
HeldLock::HeldLock(HeldLock&& other) noexcept = default;
HeldLock& HeldLock::operator=(HeldLock&& other) noexcept = default;
HeldLock::~HeldLock() = default;

HeldLock::Grant& HeldLock::grant() const {
  internal::check(static_cast<bool>(grant_), "use of a moved-from HeldLock");
  return *grant_;
}

Zxid HeldLock::fencing_token() const { return grant().record().token; }
const Path& HeldLock::lock() const { return grant().record().lock; }
const Path& HeldLock::znode() const { return grant().record().znode; }
Share HeldLock::share() const { return grant().record().share; }
Request HeldLock::check() const {
  internal::check(grant().has_a_name_of_its_own(),
                  "check() of an UnfairMutex: the next holder's znode has the same name; protect "
                  "the resource with fencing_token()");
  return Request(OpCode::kCheck, znode());
}
LockState HeldLock::state() const { return grant().state(); }
std::optional<Error> HeldLock::cause() const { return grant().cause(); }
std::stop_token HeldLock::lost_token() const { return grant().lost_token(); }
std::stop_token HeldLock::suspect_token() const { return grant().suspect_token(); }
std::stop_token HeldLock::revoked_token() const { return grant().revoked_token(); }
std::optional<TimePoint> HeldLock::valid_until() const { return grant().valid_until(); }
void HeldLock::handed_on(std::uint32_t holder) const { grant().handed_on(holder); }
Task<ReleaseOutcome> HeldLock::release(Context context) {
  return grant().release(std::move(context), grant_);
}
Task<Result<void>> HeldLock::release_version(std::int32_t version) const {
  return grant().release_version(version, grant_);
}

class PendingRelease::State : public internal::Pooled, public internal::Counted {
 public:
  explicit State(Executor& executor) : over(executor) {}

  std::optional<ReleaseOutcome> outcome;
  AsyncEvent over;
};

// Tells the outcome exactly once, even if the end of the session cuts the release short.
class PendingRelease::Ending {
 public:
  explicit Ending(internal::Ref<State> state) : state_(std::move(state)) {}
  Ending(Ending&&) noexcept = default;
  Ending& operator=(Ending&&) = delete;
  ~Ending() {
    if (state_ && !state_->outcome) tell(ReleaseOutcome::kUnknown);
  }
  void tell(ReleaseOutcome outcome) {
    state_->outcome = outcome;
    state_->over.set();
  }

 private:
  internal::Ref<State> state_;
};

PendingRelease::PendingRelease(internal::Ref<State> state) : state_(std::move(state)) {}
PendingRelease::PendingRelease(const PendingRelease& other) = default;
PendingRelease& PendingRelease::operator=(const PendingRelease& other) = default;
PendingRelease::~PendingRelease() = default;

std::optional<ReleaseOutcome> PendingRelease::outcome() const { return state_->outcome; }

Task<Result<ReleaseOutcome>> PendingRelease::wait(Context context) const {
  return wait_for(state_, std::move(context));
}

Task<Result<ReleaseOutcome>> PendingRelease::wait_for(internal::Ref<State> state, Context context) {
  co_await ok(state->over.wait(std::move(context)));
  co_return *state->outcome;
}

Task<void> PendingRelease::release(HeldLock held, Ending ending) {
  const ReleaseOutcome outcome = co_await held.release();
  ending.tell(outcome);
}

PendingRelease release_in_background(Session& session, HeldLock held) {
  const auto state = internal::Ref<PendingRelease::State>::make(session.executor());
  session.in_background(PendingRelease::release(std::move(held), PendingRelease::Ending(state)));
  return PendingRelease(state);
}

}  // namespace lockstep
