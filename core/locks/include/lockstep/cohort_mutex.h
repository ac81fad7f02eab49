#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "lockstep/async_event.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/held_lock.h"
#include "lockstep/internal/task_count.h"
#include "lockstep/lock_observer.h"
#include "lockstep/lock_options.h"
#include "lockstep/session.h"
#include "lockstep/task_set.h"
#include "lockstep/within.h"

namespace lockstep {

// How long the contenders of one CohortMutex may keep the lock while others wait for it: it is
// granted to at most `grants` of them in a row (one at least), and to no further one once `time`
// has passed since the first.
class CohortBounds {
 public:
  std::uint32_t grants = 100;
  Duration time = std::chrono::seconds(1);
};

// The fencing token of one grant in a batch. Compare the whole: the grants of a batch have the same
// `batch`, which is the token of the grant beneath (HeldLock::fencing_token).
class CohortToken {
 public:
  CohortToken(Zxid of_batch, std::uint32_t in_batch) : batch(of_batch), position(in_batch) {}
  friend auto operator<=>(const CohortToken&, const CohortToken&) = default;

  Zxid batch;
  std::uint32_t position;  // From 1.
};

// A FairMutex for many contenders of one session. They share one place in the lock's queue, and
// each release hands the grant to the next of them, in the order of arrival, without a request to
// ZooKeeper; CohortBounds says when contenders elsewhere get their turn. (Lock cohorting: D. Dice,
// V. J. Marathe, N. Shavit, "Lock Cohorting", PPoPP 2012.)
//
// acquire() resolves with a hold, or with
//   kTimedOut, kCancelled   the context ended; the grant, if it was on its way, goes to the next
//   another error           that of FairMutex::acquire() on the shared place, for all its waiters
//   the cause of the loss   the grant beneath was lost on its way to this waiter
// and try_acquire(), which does not wait, also with
//   kConflict               another contender, of this object or elsewhere, was in front
// If the grant beneath is lost, its holder is told as HeldLock says, no other waiter gets that
// grant, and the waiters queue up again with a new place. A suspect grant, or one that another
// client has asked for (LockOptions::revocable), is not handed on either.
//
// Exclusion and loss: as FairMutex, whose queue it shares with all contenders elsewhere. Order: a
// contender that arrives here is served in front of contenders elsewhere that arrived earlier, but
// only within CohortBounds. Resumes on the session's executor, where everything here belongs. The
// session and the observer outlive the grants; the mutex outlives its tasks and its holds. Not
// reentrant.
class CohortMutex {
 private:
  struct Batch;

 public:
  // One grant. Movable; destroying it releases it in the background.
  class [[nodiscard]] Hold {
   public:
    using OfRecipe = CohortMutex;  // See OnClient.
    Hold(Hold&& other) noexcept = default;
    Hold& operator=(Hold&& other) noexcept {
      std::swap(mutex_, other.mutex_);
      std::swap(batch_, other.batch_);
      std::swap(position_, other.position_);
      return *this;
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold();

    // The grant that the batch shares, with its state and its loss. Its check() does not tell the
    // holds of a batch apart. Only before release().
    [[nodiscard]] const HeldLock& held() const;
    // Exceeds the token of every earlier grant of this lock. Only before release().
    [[nodiscard]] CohortToken fencing_token() const;
    // Hands the grant on (kReleased, at once), or releases the lock as HeldLock::release() does.
    // May be called once.
    Task<ReleaseOutcome> release(Context context = {});

   private:
    friend class CohortMutex;
    Hold(CohortMutex& mutex, std::shared_ptr<Batch> batch, std::uint32_t position)
        : mutex_(&mutex), batch_(std::move(batch)), position_(position) {}

    CohortMutex* mutex_;
    std::shared_ptr<Batch> batch_;  // Null once released or moved from.
    std::uint32_t position_;
  };

  CohortMutex(Session& session, Path lock, CohortBounds bounds = {},
              LockObserver* observer = nullptr);
  CohortMutex(Session& session, Path lock, const LockOptions& options, CohortBounds bounds = {},
              LockObserver* observer = nullptr);
  CohortMutex(const CohortMutex&) = delete;
  CohortMutex& operator=(const CohortMutex&) = delete;
  ~CohortMutex();

  Task<Result<Hold>> acquire(Context context = {}) {
    return acquire(One(uses_), Patience::kWaits, std::move(context));
  }
  Task<Result<Hold>> try_acquire(Context context = {}) {
    return acquire(One(uses_), Patience::kDoesNotWait, std::move(context));
  }
  // With a deadline that is this far from now.
  Task<Result<Hold>> acquire(Duration wait) { return acquire(within(executor(), wait)); }
  Task<Result<Hold>> try_acquire(Duration wait) { return try_acquire(within(executor(), wait)); }

  // For SharedOnClient: since when an acquire that has timed out just now has had no answer if no
  // server has answered. A contender of this object sends no request of its own: the shared place's
  // may be older. TimePoint::min() while the lock is held here, which needs no answer.
  [[nodiscard]] TimePoint asked_since() const;

 private:
  using One = internal::TaskCount::One;
  class Waiter;

  [[nodiscard]] Executor& executor() const { return session_.executor(); }
  Task<Result<Hold>> acquire(One counted, Patience patience, Context context);
  // Keeps a place in the queue as long as there are waiters. They get an exception that ends it.
  Task<void> serve();
  Task<void> take_turn();
  Task<void> see_batch_end();
  [[nodiscard]] bool is_held() const;
  [[nodiscard]] Error why_no_turn(Error error) const;
  void begin_batch(HeldLock held);
  void fail_waiters(Error error);
  [[nodiscard]] bool may_hand_on(const Batch& batch) const;
  // Returns false if the caller has to release the grant beneath.
  bool hand_on(const std::shared_ptr<Batch>& batch);
  void give_up(const std::shared_ptr<Batch>& batch);

  Session& session_;
  FairMutex mutex_;
  CohortBounds bounds_;
  bool revocable_;
  LossPolicy loss_;
  internal::TaskCount uses_{"a CohortMutex must outlive its tasks and its holds"};
  std::deque<Waiter*> waiters_;   // The longest first.
  std::shared_ptr<Batch> batch_;  // Of the current grant beneath; null if it is lost or released.
  AsyncEvent over_;               // The batch has ended.
  AsyncEvent stirred_;            // The same, or there are waiters.
  std::stop_source place_;        // Gives the shared place up while it waits.
  TimePoint place_asked_at_{};    // Of its first request.
  bool serving_ = false;
  TaskSet tasks_;  // Last: destroyed first.
};

}  // namespace lockstep
