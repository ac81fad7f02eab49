#include "lockstep/internal/grant.h"

#include <utility>

#include "lockstep/guaranteed_remove.h"
#include "lockstep/retried.h"

namespace lockstep {

HeldLock::Grant::Grant(NotListening, Session& session, GrantRecord&& record, LockObserver* observer,
                       GrantOptions&& options)
    : session_(session),
      record_(std::move(record)),
      observer_(observer),
      no_release_(session.executor()),
      options_(std::move(options)) {
  no_release_.set();
}

// The other constructor has made the object: if this one throws, the destructor runs.
HeldLock::Grant::Grant(Session& session, GrantRecord&& record, LockObserver* observer,
                       GrantOptions&& options)
    : Grant(NotListening(), session, std::move(record), observer, std::move(options)) {
  record_.loss = options_.loss;
  // A downgraded grant keeps its writer's token, which has the epoch already.
  if (record_.token == record_.created) record_.token = session.fencing_token(record_.created);
  session_.add_listener(*this);
  if (options_.loss != LossPolicy::kServerNotice) contact_keeper_.emplace(session_);
  if (observer_) observer_->granted(record_);
  if (doubtful()) [[unlikely]] {
    begin_in_doubt();
  }
  if (options_.watch && alive()) guard().go_on(std::move(*options_.watch));
  if (options_.revocable && alive()) guard().watch_znode();
  made_ = true;
}

void HeldLock::Grant::begin_in_doubt() {
  if (is_over(session_.state())) return lose(session_.end_error());
  const bool over = contact_keeper_ && session_.contact() == Contact::kOver;
  return over ? contact_changed(Contact::kOver) : update_suspicion();
}

HeldLock::Grant::~Grant() {
  // True if a release has begun and its task was destroyed, too: its delete may still be lost.
  const bool gone = guard_ && guard_->gone();
  const bool ours = state_ != LockState::kLost && !outcome_ && !gone;
  if (observer_ && gone && alive()) observer_->lost(record_, Error::kNoNode);  // Not noticed yet.
  stop_listening();
  if (!ours) return;
  if (observer_) observer_->dropped(record_);
  if (made_) remove_in_background();
}

// The proof may have ended before the timer that reports it has run.
LockState HeldLock::Grant::state() const {
  if (state_ != LockState::kHeld || !contact_keeper_) return state_;
  return session_.contact_is_over() ? LockState::kSuspect : state_;
}

std::stop_token HeldLock::Grant::lost_token() {
  if (!lost_) {
    lost_.emplace();
    if (state_ == LockState::kLost) lost_->request_stop();
  }
  if (alive()) guard().watch_znode();
  return lost_->get_token();
}

std::stop_token HeldLock::Grant::suspect_token() {
  if (!suspect_) {
    suspect_.emplace();
    if (state_ == LockState::kSuspect || state_ == LockState::kLost) suspect_->request_stop();
  }
  return suspect_->get_token();
}

std::stop_token HeldLock::Grant::revoked_token() {
  if (!revoked_) revoked_.emplace();
  return revoked_->get_token();
}

std::optional<TimePoint> HeldLock::Grant::valid_until() {
  if (!alive()) return std::nullopt;
  if (!contact_keeper_) contact_keeper_.emplace(session_);
  return session_.valid_until();
}

HeldLock::Guard& HeldLock::Grant::guard() {
  if (!guard_) guard_ = std::make_unique<Guard>(session_, record_, *this);
  return *guard_;
}

Task<ReleaseOutcome> HeldLock::Grant::release(Context context, internal::Ref<Grant> /*kept*/) {
  // One release at a time: if two of them found the znode of an UnfairMutex, the second would
  // delete that of the next holder.
  while (!no_release_.is_set()) {
    const Result<void> over = co_await no_release_.wait(context);
    if (!over) co_return outcome_.value_or(ReleaseOutcome::kUnknown);  // The other one goes on.
  }
  if (outcome_) co_return *outcome_;
  if (state_ == LockState::kLost) co_return lost_at_release(*cause_);
  if (guard_ && guard_->gone()) co_return lost_at_release(Error::kNoNode);
  bool retrying = state_ == LockState::kReleased;
  const Releasing releasing(*this);
  stop_listening();
  state_ = LockState::kReleased;
  if (observer_ && !retrying) observer_->releasing(record_);
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
  co_return end_release(removed, retrying);
}

Task<Result<void>> HeldLock::Grant::release_version(std::int32_t version,
                                                    internal::Ref<Grant> kept) {
  version_ = version;
  static_cast<void>(co_await release(Context(), kept));
  version_ = -1;
  if (!outcome_) co_return failure(Error::kBadVersion);
  co_return Result<void>();
}

void HeldLock::Grant::session_changed(SessionState state) {
  if (is_over(state)) return lose(session_.end_error());
  update_suspicion();
}

void HeldLock::Grant::contact_changed(Contact contact) {
  if (!contact_keeper_) return;
  const bool by_own_clock = options_.loss != LossPolicy::kServerNotice;
  if (contact == Contact::kOver && by_own_clock) return lose_and_remove(Error::kContactLost);
  update_suspicion();
}

bool HeldLock::Grant::doubtful() const {
  if (session_.state() != SessionState::kConnected) return true;
  return contact_keeper_ && session_.contact() != Contact::kSure;
}

void HeldLock::Grant::update_suspicion() {
  const LockState now = doubtful() ? LockState::kSuspect : LockState::kHeld;
  if (std::exchange(state_, now) == now) return;
  if (now == LockState::kHeld) {
    if (suspect_ && suspect_->stop_requested()) suspect_.emplace();
    if (observer_) observer_->held_again(record_);
    return;
  }
  if (observer_) observer_->suspected(record_);
  if (options_.loss == LossPolicy::kOnSuspicion) return lose_and_remove(Error::kContactLost);
  // Last, and through a copy: a notified callback may destroy this object.
  if (suspect_) std::stop_source(*suspect_).request_stop();
}

void HeldLock::Grant::znode_gone() { lose(Error::kNoNode); }

void HeldLock::Grant::asked_to_revoke() {
  if (!options_.revocable) return;
  if (observer_) observer_->revocation_asked(record_);
  if (options_.grace) start_grace(*options_.grace);
  // Last, and through a copy: a notified callback may destroy this object.
  static_cast<void>(revoked_token());
  std::stop_source(*revoked_).request_stop();
}

void HeldLock::Grant::start_grace(Duration grace) {
  const TimePoint due = after(session_.executor().now(), grace);
  if (due == TimePoint::max()) return;
  grace_ = std::make_unique<Grace>(*this);
  session_.executor().start_timer(*grace_, due);
}

// The holder is notified before another contender can have the lock.
void HeldLock::Grant::end_grace() { lose_and_remove(Error::kRevoked); }

void HeldLock::Grant::lose_and_remove(Error cause) {
  Session& session = session_;
  const Path znode = record_.znode;
  const Data own_data = options_.own_data;
  lose(cause);
  if (!is_over(session.state())) remove_left(session, znode, own_data);
}

void HeldLock::Grant::lose(Error cause) {
  state_ = LockState::kLost;
  cause_ = cause;
  stop_listening();
  if (observer_) observer_->lost(record_, cause);
  std::optional<std::stop_source> lost = lost_;
  if (suspect_) std::stop_source(*suspect_).request_stop();
  if (lost) lost->request_stop();
}

void HeldLock::Grant::stop_listening() {
  if (!std::exchange(listening_, false)) return;
  session_.remove_listener(*this);
  contact_keeper_.reset();
  if (grace_) session_.executor().stop_timer(*grace_);
  guard_.reset();
}

// Not a coroutine: no frame keeps its temporaries.
Operation<void> HeldLock::Grant::remove(const Context& context) {
  return session_.remove(record_.znode, version_, context);
}

// The attempts after the first. The awaiting release owns the context.
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

// `removed`: the answer to the last attempt. `retrying`: there was an attempt before it.
ReleaseOutcome HeldLock::Grant::end_release(const Result<void>& removed, bool retrying) {
  // Only release_version() names a version, and its caller goes on.
  if (!removed && removed.error() == Error::kBadVersion) return ReleaseOutcome::kUnknown;
  if (!removed && session_is_over(removed.error())) return lost_at_release(removed.error());
  const bool gone = !removed && removed.error() == Error::kNoNode;
  // After a lost reply, our own earlier attempt has succeeded.
  if (gone && !retrying) return lost_at_release(Error::kNoNode);
  outcome_ = removed || gone ? ReleaseOutcome::kReleased : ReleaseOutcome::kUnknown;
  if (outcome_ == ReleaseOutcome::kUnknown) remove_in_background();
  if (observer_) observer_->released(record_, *outcome_);
  return *outcome_;
}

// The loss may not have been reported yet.
ReleaseOutcome HeldLock::Grant::lost_at_release(Error cause) {
  outcome_ = ReleaseOutcome::kAlreadyLost;
  if (state_ != LockState::kLost) lose(cause);
  if (observer_) observer_->released(record_, ReleaseOutcome::kAlreadyLost);
  return ReleaseOutcome::kAlreadyLost;
}

void HeldLock::Grant::remove_in_background() {
  remove_left(session_, record_.znode, options_.own_data);
}

}  // namespace lockstep
