#include "lockstep/cohort_mutex.h"

#include <algorithm>
#include <exception>

#include "lockstep/internal/acquire.h"
#include "lockstep/internal/check.h"
#include "lockstep/internal/contact_wait.h"

namespace lockstep {

// Consecutive grants that share one grant of the FairMutex.
struct CohortMutex::Batch {
  Batch(HeldLock&& grant, TimePoint now, One counted)
      : held(std::move(grant)), began(now), use(std::move(counted)) {}

  HeldLock held;
  TimePoint began;
  std::uint32_t grants = 0;
  One use;  // A hold has this batch, and uses the mutex.
};

// Keeps a contender in the queue until its acquire ends. A guard, because the acquire may be
// destroyed while it waits, even after it was handed the grant.
class CohortMutex::Waiter {
 public:
  Waiter(CohortMutex& mutex, Patience patience)
      : mutex_(mutex), patience_(patience), turn_(mutex.executor()) {
    mutex_.waiters_.push_back(this);
    mutex_.stirred_.set();
  }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;
  ~Waiter() {
    if (batch_) {
      mutex_.give_up(batch_);
    } else {
      leave();
    }
  }

  [[nodiscard]] Patience patience() const { return patience_; }
  [[nodiscard]] EventWait turn(Context context) { return turn_.wait(std::move(context)); }
  void grant(std::shared_ptr<Batch> batch) {
    batch_ = std::move(batch);
    position_ = batch_->grants;
    turn_.set();
  }
  void fail(Error error) {
    error_ = error;
    turn_.set();
  }
  void fail(std::exception_ptr exception) {
    exception_ = std::move(exception);
    turn_.set();
  }
  Result<Hold> take() {
    if (exception_) std::rethrow_exception(exception_);
    if (error_) return failure(*error_);
    if (const std::optional<Error> lost = batch_->held.cause()) return failure(*lost);
    return Hold(mutex_, std::exchange(batch_, nullptr), position_);
  }

 private:
  void leave() {
    const auto place = std::ranges::find(mutex_.waiters_, this);
    if (place == mutex_.waiters_.end()) return;  // fail_waiters() has removed it.
    mutex_.waiters_.erase(place);
    if (mutex_.waiters_.empty()) mutex_.place_.request_stop();
  }

  CohortMutex& mutex_;
  Patience patience_;
  AsyncEvent turn_;
  std::shared_ptr<Batch> batch_;  // Set once the grant is handed over, until acquire() takes it.
  std::uint32_t position_ = 0;
  std::optional<Error> error_;
  std::exception_ptr exception_;
};

CohortMutex::CohortMutex(Session& session, Path lock, CohortBounds bounds, LockObserver* observer)
    : CohortMutex(session, std::move(lock), LockOptions(), bounds, observer) {}
CohortMutex::CohortMutex(Session& session, Path lock, const LockOptions& options,
                         CohortBounds bounds, LockObserver* observer)
    : session_(session),
      mutex_(session, std::move(lock), options, observer),
      bounds_(bounds),
      revocable_(options.revocable),
      loss_(options.loss),
      over_(session.executor()),
      stirred_(session.executor()) {}

CohortMutex::~CohortMutex() = default;

Task<Result<CohortMutex::Hold>> CohortMutex::acquire(One, Patience patience, Context context) {
  if (context.stop_requested()) co_return failure(Error::kCancelled);
  const bool late = context.deadline() && *context.deadline() <= executor().now();
  if (late) co_return failure(Error::kTimedOut);
  const bool in_use = is_held() || !waiters_.empty();
  if (in_use && patience == Patience::kDoesNotWait) co_return failure(Error::kConflict);
  Waiter waiter(*this, patience);
  if (!serving_) tasks_.spawn(serve());
  const Result<void> turn = co_await waiter.turn(std::move(context));
  if (!turn) co_return failure(why_no_turn(turn.error()));
  co_return waiter.take();
}

// While the place in the distributed queue waits for a proof of contact, no contender is in the
// way.
Error CohortMutex::why_no_turn(Error error) const {
  const bool no_contact = !batch_ && internal::loses_at_once(session_, loss_);
  return error == Error::kTimedOut && no_contact ? Error::kContactLost : error;
}

// The end of a lost batch is only noticed once there is a waiter.
bool CohortMutex::is_held() const { return batch_ && !batch_->held.cause(); }

TimePoint CohortMutex::asked_since() const {
  return is_held() ? TimePoint::min() : place_asked_at_;
}

Task<void> CohortMutex::serve() {
  serving_ = true;
  try {
    while (!waiters_.empty()) co_await take_turn();
  } catch (...) {
    while (!waiters_.empty()) {
      Waiter* const next = waiters_.front();
      waiters_.pop_front();
      next->fail(std::current_exception());
    }
  }
  serving_ = false;
}

Task<void> CohortMutex::take_turn() {
  place_ = std::stop_source();
  place_asked_at_ = executor().now();
  const Context context(place_.get_token());
  Result<HeldLock> held = co_await internal::acquire(mutex_, waiters_.front()->patience(), context);
  if (held) {
    begin_batch(std::move(*held));
    co_await see_batch_end();
  } else if (held.error() != Error::kCancelled) {
    fail_waiters(held.error());
  }
}

void CohortMutex::begin_batch(HeldLock held) {
  batch_ = std::make_shared<Batch>(std::move(held), executor().now(), One(uses_));
  over_.reset();
  stirred_.reset();
  const std::shared_ptr<Batch> batch = batch_;
  if (waiters_.empty()) return give_up(batch);  // All gave up while the lock was being granted.
  hand_on(batch);
}

// Waits for another contender first: the watch that notices a deletion of the place costs a read.
Task<void> CohortMutex::see_batch_end() {
  static_cast<void>(co_await stirred_.wait());
  if (over_.is_set()) co_return;
  Context lost(batch_->held.lost_token());
  const Result<void> ended = co_await over_.wait(std::move(lost));
  if (!ended) batch_.reset();  // Lost: its holder may still be working, but the waiters go on.
}

// A conflict answers only those who do not wait: it comes from an attempt that did not wait.
void CohortMutex::fail_waiters(Error error) {
  for (Waiter* const waiter : std::exchange(waiters_, {})) {
    const bool waits = waiter->patience() == Patience::kWaits;
    if (error == Error::kConflict && waits) {
      waiters_.push_back(waiter);
    } else {
      waiter->fail(error);
    }
  }
}

bool CohortMutex::may_hand_on(const Batch& batch) const {
  if (waiters_.empty()) return false;
  if (batch.grants == 0) return true;
  if (batch.held.state() != LockState::kHeld) return false;
  if (revocable_ && batch.held.revoked_token().stop_requested()) return false;
  return batch.grants < bounds_.grants && executor().now() - batch.began < bounds_.time;
}

bool CohortMutex::hand_on(const std::shared_ptr<Batch>& batch) {
  if (batch != batch_) return false;
  if (may_hand_on(*batch)) {
    Waiter* const next = waiters_.front();
    waiters_.pop_front();
    if (++batch->grants > 1) batch->held.handed_on(batch->grants);
    next->grant(batch);
    if (!waiters_.empty()) stirred_.set();
    return true;
  }
  batch_.reset();
  over_.set();
  stirred_.set();
  return false;
}

void CohortMutex::give_up(const std::shared_ptr<Batch>& batch) {
  if (hand_on(batch) || is_over(session_.state())) return;
  release_in_background(session_, std::move(batch->held));
}

CohortMutex::Hold::~Hold() {
  if (batch_) mutex_->give_up(std::exchange(batch_, nullptr));
}

const HeldLock& CohortMutex::Hold::held() const {
  internal::check(batch_ != nullptr, "held() of a Hold that was released or moved from");
  return batch_->held;
}

CohortToken CohortMutex::Hold::fencing_token() const { return {held().fencing_token(), position_}; }

Task<ReleaseOutcome> CohortMutex::Hold::release(Context context) {
  internal::check(batch_ != nullptr, "release() of a Hold that was released or moved from");
  std::shared_ptr<Batch> batch = std::exchange(batch_, nullptr);
  if (mutex_->hand_on(batch)) co_return ReleaseOutcome::kReleased;
  HeldLock held = std::move(batch->held);
  batch.reset();  // From now on, this does not use the mutex.
  const ReleaseOutcome outcome = co_await held.release(std::move(context));
  co_return outcome;
}

}  // namespace lockstep
