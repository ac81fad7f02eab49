#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "lockstep/held_lock.h"
#include "lockstep/lock_observer.h"
#include "lockstep/lock_options.h"
#include "lockstep/lock_owner.h"
#include "lockstep/ok.h"
#include "lockstep/read_write_lock.h"
#include "lockstep/session.h"
#include "lockstep/within.h"

namespace lockstep {

// A ReadWriteLock that its owner may acquire again while it holds it, as reader and as writer; the
// last release of these acquires releases the lock. (Curator's InterProcessReadWriteLock is
// reentrant for a thread, and uses the same znodes.)
//
//   the owner holds   acquire_read()      acquire_write()
//   nothing           queues up           queues up
//   read holds only   one hold more       upgrades: see ReadWriteLock::upgrade(). kConflict if
//                                         another writer waits, also one that upgrades: the owner
//                                         keeps its read holds, and has to release them before it
//                                         can write
//   a write hold      one hold more       one hold more
//
// Neither "one hold more" costs a request, and both ignore the context. The release of the last
// write hold of an owner that has read holds left downgrades: other readers come in, and no writer.
//
// The acquires resolve with a hold, or with the errors of ReadWriteLock, and if the owner already
// has the lock with
//   the cause of the loss   the lock is lost: it cannot be entered again before every hold of it
//                           has been released, since its owner must learn of the loss first
//   kConflict               see above; or another acquire, or a downgrade, of that owner is in
//                           progress
//
// All holds of an owner share one grant. An upgrade or a downgrade replaces it: tokens that were
// taken from it before, such as lost_token(), do not concern the new one.
//
// Guarantees, executor and lifetimes: as ReadWriteLock; and the lock outlives its holds. Only this
// object knows its owners: another one on the same path is a different contender.
class RecursiveReadWriteLock {
 private:
  struct Entry;

 public:
  // One level of a recursive lock. Movable. Destroying it leaves this level in the background: the
  // last level releases the lock, but the last write hold leaves a write grant to the read holds.
  class Hold {
   public:
    using OfRecipe = RecursiveReadWriteLock;  // See OnClient.
    Hold(Hold&& other) noexcept
        : lock_(other.lock_), entry_(std::exchange(other.entry_, nullptr)), share_(other.share_) {}
    Hold& operator=(Hold&& other) noexcept {
      std::swap(lock_, other.lock_);
      std::swap(entry_, other.entry_);
      std::swap(share_, other.share_);
      return *this;
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold();

    // How this level holds. The grant may be exclusive although this level reads.
    [[nodiscard]] Share share() const { return share_; }
    // The grant that all holds of the owner share. Only before release().
    [[nodiscard]] const HeldLock& held() const;
    // Leaves this level. The last one releases the lock. The last write hold downgrades the lock if
    // read holds are left: kUnknown if the context ends first, and then the grant stays exclusive
    // until they are released. kReleased for any other level of a held lock, kAlreadyLost for one
    // of a lost lock. May be called once.
    Task<ReleaseOutcome> release(Context context = {});

   private:
    friend class RecursiveReadWriteLock;
    Hold(RecursiveReadWriteLock& lock, Entry& entry, Share share);

    RecursiveReadWriteLock* lock_;
    Entry* entry_;
    Share share_;
  };

  RecursiveReadWriteLock(Session& session, Path lock, LockObserver* observer = nullptr);
  RecursiveReadWriteLock(Session& session, Path lock, LockOptions options,
                         LockObserver* observer = nullptr);
  RecursiveReadWriteLock(const RecursiveReadWriteLock&) = delete;
  RecursiveReadWriteLock& operator=(const RecursiveReadWriteLock&) = delete;
  ~RecursiveReadWriteLock();

  Task<Result<Hold>> acquire_read(LockOwner owner, Context context = {}) {
    return acquire(owner, Share::kShared, Patience::kWaits, std::move(context));
  }
  Task<Result<Hold>> acquire_write(LockOwner owner, Context context = {}) {
    return acquire(owner, Share::kExclusive, Patience::kWaits, std::move(context));
  }
  // These do not wait for contenders: kConflict if there is one in front, also a reader in front of
  // an owner that would upgrade.
  Task<Result<Hold>> try_acquire_read(LockOwner owner, Context context = {}) {
    return acquire(owner, Share::kShared, Patience::kDoesNotWait, std::move(context));
  }
  Task<Result<Hold>> try_acquire_write(LockOwner owner, Context context = {}) {
    return acquire(owner, Share::kExclusive, Patience::kDoesNotWait, std::move(context));
  }
  // With a deadline that is this far from now.
  Task<Result<Hold>> acquire_read(LockOwner owner, Duration wait) {
    return acquire_read(owner, within(session_.executor(), wait));
  }
  Task<Result<Hold>> acquire_write(LockOwner owner, Duration wait) {
    return acquire_write(owner, within(session_.executor(), wait));
  }
  Task<Result<Hold>> try_acquire_read(LockOwner owner, Duration wait) {
    return try_acquire_read(owner, within(session_.executor(), wait));
  }
  Task<Result<Hold>> try_acquire_write(LockOwner owner, Duration wait) {
    return try_acquire_write(owner, within(session_.executor(), wait));
  }

  // The numbers of the owner's read and write holds.
  [[nodiscard]] std::size_t readers(LockOwner owner) const;
  [[nodiscard]] std::size_t writers(LockOwner owner) const;

 private:
  class Changing;

  [[nodiscard]] Entry* find(LockOwner owner) const;
  Task<Result<Hold>> acquire(LockOwner owner, Share share, Patience patience, Context context);
  Task<Result<Hold>> enter_again(Entry& entry, Share share, Patience patience, Context context);
  // Returns the grant if nothing keeps it any more.
  std::unique_ptr<Entry> take_if_left(Entry& entry);
  void release_last(std::unique_ptr<Entry> last);

  Session& session_;
  ReadWriteLock lock_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::vector<LockOwner> waiting_;
};

}  // namespace lockstep
