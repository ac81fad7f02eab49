#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "lockstep/fair_mutex.h"
#include "lockstep/held_lock.h"
#include "lockstep/lock_observer.h"
#include "lockstep/lock_owner.h"
#include "lockstep/ok.h"
#include "lockstep/session.h"
#include "lockstep/turn.h"
#include "lockstep/within.h"

namespace lockstep {

// A FairMutex that its owner may acquire again while it holds it; the last release of these
// acquires releases the lock.
//
// acquire() resolves with a hold, or with the errors of FairMutex, and if the owner already has the
// lock with
//   the cause of the loss   the lock is lost: it cannot be entered again before every hold of it
//                           has been released, since its owner must learn of the loss first
//   kConflict               another acquire of that owner is in progress
// Entering again costs no request and ignores the context.
//
// Guarantees, executor and lifetimes: as FairMutex; and the mutex outlives its holds. Only this
// object knows its owners: another RecursiveMutex on the same path is a different contender.
class RecursiveMutex {
 private:
  struct Entry;

 public:
  // One level of a recursive lock. Movable; destroying it releases it in the background.
  class Hold {
   public:
    using OfRecipe = RecursiveMutex;  // See OnClient.
    Hold(Hold&& other) noexcept
        : mutex_(other.mutex_), entry_(std::exchange(other.entry_, nullptr)) {}
    Hold& operator=(Hold&& other) noexcept {
      std::swap(mutex_, other.mutex_);
      std::swap(entry_, other.entry_);
      return *this;
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold();

    // The grant that all holds of the owner share. Only before release().
    [[nodiscard]] const HeldLock& held() const;
    // Leaves this level; the last one releases the lock. kReleased for an inner level of a held
    // lock, kAlreadyLost for one of a lost lock. May be called once.
    Task<ReleaseOutcome> release(Context context = {});

   private:
    friend class RecursiveMutex;
    Hold(RecursiveMutex& mutex, Entry& entry) : mutex_(&mutex), entry_(&entry) {}

    RecursiveMutex* mutex_;
    Entry* entry_;
  };

  RecursiveMutex(Session& session, Path lock, LockObserver* observer = nullptr);
  RecursiveMutex(Session& session, Path lock, LockOptions options,
                 LockObserver* observer = nullptr);
  RecursiveMutex(const RecursiveMutex&) = delete;
  RecursiveMutex& operator=(const RecursiveMutex&) = delete;
  ~RecursiveMutex();

  Task<Result<Hold>> acquire(LockOwner owner, Context context = {}) {
    return acquire(owner, Patience::kWaits, std::move(context));
  }
  // Does not wait for other contenders: kConflict also if another one holds the lock.
  Task<Result<Hold>> try_acquire(LockOwner owner, Context context = {}) {
    return acquire(owner, Patience::kDoesNotWait, std::move(context));
  }
  // With a deadline that is this far from now.
  Task<Result<Hold>> acquire(LockOwner owner, Duration wait) {
    return acquire(owner, within(session_.executor(), wait));
  }
  Task<Result<Hold>> try_acquire(LockOwner owner, Duration wait) {
    return try_acquire(owner, within(session_.executor(), wait));
  }

  // The number of the owner's holds.
  [[nodiscard]] std::size_t depth(LockOwner owner) const;

 private:
  Task<Result<Hold>> acquire(LockOwner owner, Patience patience, Context context);
  [[nodiscard]] Entry* find(LockOwner owner) const;
  // Returns the grant if that was the last hold.
  std::unique_ptr<Entry> leave(Entry& entry);

  Session& session_;
  FairMutex mutex_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::vector<LockOwner> waiting_;
};

}  // namespace lockstep
