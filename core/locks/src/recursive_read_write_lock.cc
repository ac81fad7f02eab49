#include "lockstep/recursive_read_write_lock.h"

#include <algorithm>

#include "lockstep/internal/acquire.h"
#include "lockstep/internal/check.h"
#include "lockstep/internal/waiting_owner.h"
#include "lockstep/retried.h"

namespace lockstep {

// The holds of one owner.
struct RecursiveReadWriteLock::Entry {
  LockOwner owner;
  HeldLock held;
  std::size_t readers = 0;
  std::size_t writers = 0;
  // An upgrade or a downgrade is in progress. It needs the grant even if all holds leave.
  bool changing = false;

  std::size_t& holds(Share share) { return share == Share::kShared ? readers : writers; }
};

// Marks a change of an owner's grant; a guard, because the change may be destroyed while it waits.
class RecursiveReadWriteLock::Changing {
 public:
  Changing(RecursiveReadWriteLock& lock, Entry& entry) : lock_(lock), entry_(entry) {
    entry_.changing = true;
  }
  Changing(const Changing&) = delete;
  Changing& operator=(const Changing&) = delete;
  ~Changing() {
    entry_.changing = false;
    lock_.release_last(lock_.take_if_left(entry_));
  }

 private:
  RecursiveReadWriteLock& lock_;
  Entry& entry_;
};

RecursiveReadWriteLock::RecursiveReadWriteLock(Session& session, Path lock, LockObserver* observer)
    : RecursiveReadWriteLock(session, std::move(lock), LockOptions(), observer) {}
RecursiveReadWriteLock::RecursiveReadWriteLock(Session& session, Path lock, LockOptions options,
                                               LockObserver* observer)
    : session_(session), lock_(session, std::move(lock), std::move(options), observer) {}

RecursiveReadWriteLock::~RecursiveReadWriteLock() {
  internal::check(entries_.empty(), "a RecursiveReadWriteLock must outlive its holds");
}

Task<Result<RecursiveReadWriteLock::Hold>> RecursiveReadWriteLock::acquire(LockOwner owner,
                                                                           Share share,
                                                                           Patience patience,
                                                                           Context context) {
  if (Entry* const entry = find(owner)) {
    co_return co_await enter_again(*entry, share, patience, std::move(context));
  }
  if (std::ranges::find(waiting_, owner) != waiting_.end()) co_return failure(Error::kConflict);
  const internal::WaitingOwner waiting(waiting_, owner);
  HeldLock held = co_await ok(internal::acquire_side(lock_, share, patience, std::move(context)));
  entries_.push_back(std::make_unique<Entry>(owner, std::move(held)));
  co_return Hold(*this, *entries_.back(), share);
}

Task<Result<RecursiveReadWriteLock::Hold>> RecursiveReadWriteLock::enter_again(Entry& entry,
                                                                               Share share,
                                                                               Patience patience,
                                                                               Context context) {
  if (entry.changing) co_return failure(Error::kConflict);
  if (entry.held.cause()) co_return failure(*entry.held.cause());
  const bool upgrades = share == Share::kExclusive && entry.held.share() == Share::kShared;
  if (upgrades) {
    const Changing changing(*this, entry);
    Task<Result<void>> upgrading = patience == Patience::kWaits
                                       ? lock_.upgrade(entry.held, std::move(context))
                                       : lock_.try_upgrade(entry.held, std::move(context));
    co_await ok(std::move(upgrading));
    // Take the hold before the change ends: its end releases a grant without holds.
    co_return Hold(*this, entry, share);
  }
  co_return Hold(*this, entry, share);
}

RecursiveReadWriteLock::Entry* RecursiveReadWriteLock::find(LockOwner owner) const {
  for (const std::unique_ptr<Entry>& entry : entries_) {
    if (entry->owner == owner) return entry.get();
  }
  return nullptr;
}

std::size_t RecursiveReadWriteLock::readers(LockOwner owner) const {
  const Entry* const entry = find(owner);
  return entry ? entry->readers : 0;
}

std::size_t RecursiveReadWriteLock::writers(LockOwner owner) const {
  const Entry* const entry = find(owner);
  return entry ? entry->writers : 0;
}

std::unique_ptr<RecursiveReadWriteLock::Entry> RecursiveReadWriteLock::take_if_left(Entry& entry) {
  if (entry.changing || entry.readers + entry.writers > 0) return nullptr;
  const auto place = std::ranges::find(entries_, &entry, &std::unique_ptr<Entry>::get);
  std::unique_ptr<Entry> last = std::move(*place);
  entries_.erase(place);
  return last;
}

void RecursiveReadWriteLock::release_last(std::unique_ptr<Entry> last) {
  if (last && !is_over(session_.state())) release_in_background(session_, std::move(last->held));
}

RecursiveReadWriteLock::Hold::Hold(RecursiveReadWriteLock& lock, Entry& entry, Share share)
    : lock_(&lock), entry_(&entry), share_(share) {
  ++entry.holds(share);
}

RecursiveReadWriteLock::Hold::~Hold() {
  if (!entry_) return;
  --entry_->holds(share_);
  lock_->release_last(lock_->take_if_left(*entry_));
}

const HeldLock& RecursiveReadWriteLock::Hold::held() const {
  internal::check(entry_ != nullptr, "held() of a Hold that was released or moved from");
  return entry_->held;
}

Task<ReleaseOutcome> RecursiveReadWriteLock::Hold::release(Context context) {
  internal::check(entry_ != nullptr, "release() of a Hold that was released or moved from");
  RecursiveReadWriteLock& lock = *lock_;
  Entry& entry = *std::exchange(entry_, nullptr);
  --entry.holds(share_);
  if (const std::unique_ptr<Entry> last = lock.take_if_left(entry)) {
    const ReleaseOutcome outcome = co_await last->held.release(std::move(context));
    co_return outcome;
  }
  if (entry.held.cause()) co_return ReleaseOutcome::kAlreadyLost;
  const bool downgrades = share_ == Share::kExclusive && entry.writers == 0;
  if (!downgrades || entry.changing) co_return ReleaseOutcome::kReleased;
  const Changing changing(lock, entry);
  const Result<void> changed = co_await lock.lock_.downgrade(entry.held, context);
  if (changed) co_return ReleaseOutcome::kReleased;
  // Either our writer was deleted, and the lock is lost; or the reader, as soon as it was created.
  const bool one_is_gone = changed.error() == Error::kNoNode && !entry.held.cause();
  if (one_is_gone) {
    const Result<Stat> writer =
        co_await retried(lock.session_, &Session::exists, entry.held.znode(), std::move(context));
    const bool is_lost = !writer && writer.error() == Error::kNoNode;
    // The grant looks at its znode, so that the other holds learn of it.
    if (is_lost) static_cast<void>(entry.held.lost_token());
    if (is_lost) co_return ReleaseOutcome::kAlreadyLost;
  }
  co_return entry.held.cause() ? ReleaseOutcome::kAlreadyLost : ReleaseOutcome::kUnknown;
}

}  // namespace lockstep
