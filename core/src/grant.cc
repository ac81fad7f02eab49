#include "lockstep/internal/grant.h"

#include "lockstep/guaranteed_remove.h"
#include "lockstep/retried.h"

namespace lockstep {

HeldLock::Grant::Grant(Session& session, GrantRecord&& record, LockObserver* observer,
                       GrantOptions&& options)
    : session_(session),
      record_(std::move(record)),
      observer_(observer),
      options_(std::move(options)) {
  session_.add_listener(*this);
  if (observer_) observer_->granted(record_);
  session_changed(session_.state());
  if (options_.revocable && alive()) guard().watch_znode();
}

HeldLock::Grant::~Grant() {
  // Also if a release is under way: it is destroyed with us, and its delete may yet be lost.
  const bool ours = state_ != LockState::kLost && !outcome_ && !(guard_ && guard_->gone());
  stop_listening();
  if (!ours) return;
  if (observer_) observer_->dropped(record_);
  remove_in_background();
}

LockState HeldLock::Grant::state() const {
  if (state_ != LockState::kHeld || !guard_ || !guard_->proving()) return state_;
  const std::optional<TimePoint> end = guard_->valid_until();
  return end && *end <= session_.executor().now() ? LockState::kSuspect : state_;
}

std::stop_token HeldLock::Grant::lost_token() {
  if (!lost_) {
    lost_.emplace();
    if (state_ == LockState::kLost) lost_->request_stop();
  }
  if (alive()) guard().watch_znode();
  return lost_->get_token();
}

std::stop_token HeldLock::Grant::revoked_token() {
  if (!revoked_) revoked_.emplace();
  return revoked_->get_token();
}

std::optional<TimePoint> HeldLock::Grant::valid_until() {
  if (!alive()) return std::nullopt;
  guard().prove_contact();
  return guard().valid_until();
}

HeldLock::Guard& HeldLock::Grant::guard() {
  if (!guard_) guard_ = std::make_unique<Guard>(session_, record_, *this);
  return *guard_;
}

Task<ReleaseOutcome> HeldLock::Grant::release(Context context) {
  if (outcome_) co_return *outcome_;
  if (state_ == LockState::kLost || (guard_ && guard_->gone())) {
    // Perhaps nobody has been told of the loss yet; the outcome tells it.
    stop_listening();
    outcome_ = ReleaseOutcome::kAlreadyLost;
  } else {
    // From here on the end of the session is no loss: we are giving the lock back.
    bool retrying = std::exchange(state_, LockState::kReleased) == LockState::kReleased;
    stop_listening();
    Result<void> removed;
    if (retrying) {
      removed = co_await remove_again(context);
    } else {
      removed = co_await remove(context);
    }
    Retry retry(session_);
    while (is_transient(removed)) {
      retrying = retrying || outcome_unknown(removed);
      removed = co_await remove_later(retry, removed.error(), context);
    }
    const ReleaseOutcome outcome = outcome_of(removed, retrying);
    if (outcome_) co_return *outcome_;  // Another release() was faster.
    outcome_ = outcome;
  }
  if (observer_) observer_->released(record_, *outcome_);
  co_return *outcome_;
}

void HeldLock::Grant::session_changed(SessionState state) {
  if (is_over(state)) return lose(session_.end_error());
  state_ = state == SessionState::kConnected ? LockState::kHeld : LockState::kSuspect;
}

void HeldLock::Grant::znode_gone() { lose(Error::kNoNode); }

void HeldLock::Grant::asked_to_revoke() {
  if (!options_.revocable) return;
  if (observer_) observer_->revocation_asked(record_);
  if (options_.grace) {
    grace_ = std::make_unique<Grace>(*this);
    session_.executor().start_timer(*grace_, session_.executor().now() + *options_.grace);
  }
  // Last, and through a copy: whoever hears of it may destroy us.
  static_cast<void>(revoked_token());
  std::stop_source(*revoked_).request_stop();
}

// The holder hears of it before the next one can have the lock.
void HeldLock::Grant::grace_is_over() {
  Session& session = session_;
  const Path znode = record_.znode;
  lose(Error::kRevoked);
  if (!is_over(session.state())) remove_guaranteed(session, znode);
}

void HeldLock::Grant::lose(Error cause) {
  state_ = LockState::kLost;
  cause_ = cause;
  stop_listening();
  if (observer_) observer_->lost(record_, cause);
  if (lost_) std::stop_source(*lost_).request_stop();
}

void HeldLock::Grant::stop_listening() {
  if (!std::exchange(listening_, false)) return;
  session_.remove_listener(*this);
  if (grace_) session_.executor().stop_timer(*grace_);
  guard_.reset();
}

// As a function that is no coroutine: no frame keeps what its arguments are made of.
Operation<void> HeldLock::Grant::remove(const Context& context) {
  return session_.remove(record_.znode, -1, context);
}

// An attempt after one of ours. Whoever waits for it has the context.
Task<Result<void>> HeldLock::Grant::remove_again(const Context& context) {
  Result<void> removed;
  if (options_.own_data.is_null()) {
    removed = co_await remove(context);
  } else {
    removed = co_await remove_if_ours(session_, record_.znode, options_.own_data, context);
  }
  co_return removed;
}

Task<Result<void>> HeldLock::Grant::remove_later(Retry& retry, Error error,
                                                 const Context& context) {
  co_await ok(retry.after(error, context));
  co_return co_await remove_again(context);
}

// `removed`: the answer to the last attempt. `retrying`: there has been one before.
ReleaseOutcome HeldLock::Grant::outcome_of(const Result<void>& removed, bool retrying) {
  if (removed) return ReleaseOutcome::kReleased;
  if (removed.error() == Error::kNoNode) {
    // After a lost reply it was our own earlier attempt that succeeded.
    return retrying ? ReleaseOutcome::kReleased : ReleaseOutcome::kAlreadyLost;
  }
  if (session_is_over(removed.error())) return ReleaseOutcome::kAlreadyLost;
  remove_in_background();
  return ReleaseOutcome::kUnknown;
}

void HeldLock::Grant::remove_in_background() {
  if (options_.own_data.is_null()) return remove_guaranteed(session_, record_.znode);
  remove_guaranteed_if_ours(session_, record_.znode, options_.own_data);
}

}  // namespace lockstep
