#include "lockstep/held_lock.h"

#include "lockstep/guaranteed_remove.h"
#include "lockstep/internal/check.h"
#include "lockstep/internal/frame_pool.h"

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

// The part that does not move with the HeldLock: it listens to the session.
class HeldLock::Grant final : public SessionListener, public internal::Pooled {
 public:
  Grant(Session& session, GrantRecord record, LockObserver* observer)
      : session_(session), record_(std::move(record)), observer_(observer) {
    session_.add_listener(*this);
    if (observer_) observer_->granted(record_);
    session_changed(session_.state());
  }
  Grant(const Grant&) = delete;
  Grant& operator=(const Grant&) = delete;
  ~Grant() {
    // Also if a release is under way: it is destroyed with us, and its delete may yet be lost.
    const bool ours = state_ != LockState::kLost && !outcome_;
    stop_listening();
    if (ours) remove_guaranteed(session_, record_.znode);
  }

  [[nodiscard]] const GrantRecord& record() const { return record_; }
  [[nodiscard]] LockState state() const { return state_; }
  [[nodiscard]] std::optional<Error> cause() const { return cause_; }
  [[nodiscard]] std::stop_token lost_token() {
    if (!lost_) {
      lost_.emplace();
      if (state_ == LockState::kLost) lost_->request_stop();
    }
    return lost_->get_token();
  }

  Task<ReleaseOutcome> release(Context context) {
    if (outcome_) co_return *outcome_;
    if (state_ == LockState::kLost) {
      outcome_ = ReleaseOutcome::kAlreadyLost;
    } else {
      // From here on the end of the session is no loss: we are giving the lock back.
      const bool under_way = std::exchange(state_, LockState::kReleased) == LockState::kReleased;
      stop_listening();
      const ReleaseOutcome outcome = co_await remove(std::move(context), under_way);
      if (outcome_) co_return *outcome_;  // Another release() was faster.
      outcome_ = outcome;
    }
    if (observer_) observer_->released(record_, *outcome_);
    co_return *outcome_;
  }

 private:
  void session_changed(SessionState state) override {
    if (state == SessionState::kConnected) {
      state_ = LockState::kHeld;
    } else if (is_over(state)) {
      state_ = LockState::kLost;
      cause_ = session_.end_error();
      stop_listening();
      if (observer_) observer_->lost(record_, *cause_);
      // Last, and through a copy: whoever hears of it may destroy us.
      if (lost_) std::stop_source(*lost_).request_stop();
    } else {
      state_ = LockState::kSuspect;
    }
  }

  void stop_listening() {
    if (std::exchange(listening_, false)) session_.remove_listener(*this);
  }

  // `retrying`: an attempt of ours has been made before.
  Task<ReleaseOutcome> remove(Context context, bool retrying) {
    for (;;) {
      const Result<void> removed = co_await session_.remove(record_.znode, -1, context);
      if (removed) co_return ReleaseOutcome::kReleased;
      const Error error = removed.error();
      if (error == Error::kNoNode) {
        // After a lost reply it was our own earlier attempt that succeeded.
        co_return retrying ? ReleaseOutcome::kReleased : ReleaseOutcome::kAlreadyLost;
      }
      if (session_is_over(error)) co_return ReleaseOutcome::kAlreadyLost;
      if (!outcome_unknown(error)) break;
      retrying = true;
      const Result<void> connected = co_await session_.connected(context);
      if (connected) continue;
      if (session_is_over(connected.error())) co_return ReleaseOutcome::kAlreadyLost;
      break;
    }
    remove_guaranteed(session_, record_.znode);
    co_return ReleaseOutcome::kUnknown;
  }

  Session& session_;
  GrantRecord record_;
  LockObserver* observer_;
  LockState state_ = LockState::kHeld;
  bool listening_ = true;
  std::optional<Error> cause_;
  std::optional<ReleaseOutcome> outcome_;
  std::optional<std::stop_source> lost_;
};

HeldLock::HeldLock(Session& session, GrantRecord grant, LockObserver* observer)
    : grant_(std::make_unique<Grant>(session, std::move(grant), observer)) {}
HeldLock::HeldLock(HeldLock&&) noexcept = default;
HeldLock& HeldLock::operator=(HeldLock&&) noexcept = default;
HeldLock::~HeldLock() = default;

Zxid HeldLock::fencing_token() const { return grant_->record().token; }
const Path& HeldLock::znode() const { return grant_->record().znode; }
LockState HeldLock::state() const { return grant_->state(); }
std::optional<Error> HeldLock::cause() const { return grant_->cause(); }
std::stop_token HeldLock::lost_token() const { return grant_->lost_token(); }

Task<ReleaseOutcome> HeldLock::release(Context context) {
  internal::check(grant_ != nullptr, "release() of a moved-from HeldLock");
  return grant_->release(std::move(context));
}

}  // namespace lockstep
