#pragma once

#include <utility>

#include "lockstep/held_lock.h"
#include "lockstep/lock_options.h"
#include "lockstep/ok.h"
#include "lockstep/session.h"
#include "lockstep/turn.h"

namespace lockstep::program {

// The reader of a ReadWriteLock in a queue that may hold contenders of other recipes: it waits for
// all exclusive ones among LockOptions::marks. Errors, executor, lifetimes: as ReadWriteLock.
class SharedLock {
 public:
  SharedLock(Session& session, Path lock, LockOptions options, LockObserver* observer)
      : queue_(session, std::move(lock), options.marks, observer), options_(std::move(options)) {}

  Task<Result<HeldLock>> acquire(Context context) {
    return acquire(Patience::kWaits, std::move(context));
  }
  Task<Result<HeldLock>> try_acquire(Context context) {
    return acquire(Patience::kDoesNotWait, std::move(context));
  }

 private:
  Task<Result<HeldLock>> acquire(Patience patience, Context context);

  LockQueue queue_;
  LockOptions options_;
};

}  // namespace lockstep::program
