#include "lockstep/recursive_mutex.h"

#include <algorithm>

#include "lockstep/internal/acquire.h"
#include "lockstep/internal/check.h"
#include "lockstep/internal/waiting_owner.h"

namespace lockstep {

// The holds of one owner.
struct RecursiveMutex::Entry {
  LockOwner owner;
  HeldLock held;
  std::size_t depth = 1;
};

RecursiveMutex::RecursiveMutex(Session& session, Path lock, LockObserver* observer)
    : RecursiveMutex(session, std::move(lock), LockOptions(), observer) {}
RecursiveMutex::RecursiveMutex(Session& session, Path lock, LockOptions options,
                               LockObserver* observer)
    : session_(session), mutex_(session, std::move(lock), std::move(options), observer) {}

RecursiveMutex::~RecursiveMutex() {
  internal::check(entries_.empty(), "a RecursiveMutex must outlive its holds");
}

Task<Result<RecursiveMutex::Hold>> RecursiveMutex::acquire(LockOwner owner, Patience patience,
                                                           Context context) {
  if (Entry* const entry = find(owner)) {
    if (entry->held.cause()) co_return failure(*entry->held.cause());
    ++entry->depth;
    co_return Hold(*this, *entry);
  }
  if (std::ranges::find(waiting_, owner) != waiting_.end()) co_return failure(Error::kConflict);
  const internal::WaitingOwner waiting(waiting_, owner);
  HeldLock held = co_await ok(internal::acquire(mutex_, patience, std::move(context)));
  entries_.push_back(std::make_unique<Entry>(owner, std::move(held)));
  co_return Hold(*this, *entries_.back());
}

std::size_t RecursiveMutex::depth(LockOwner owner) const {
  const Entry* const entry = find(owner);
  return entry ? entry->depth : 0;
}

RecursiveMutex::Entry* RecursiveMutex::find(LockOwner owner) const {
  for (const std::unique_ptr<Entry>& entry : entries_) {
    if (entry->owner == owner) return entry.get();
  }
  return nullptr;
}

std::unique_ptr<RecursiveMutex::Entry> RecursiveMutex::leave(Entry& entry) {
  if (--entry.depth > 0) return nullptr;
  const auto place = std::ranges::find(entries_, &entry, &std::unique_ptr<Entry>::get);
  std::unique_ptr<Entry> last = std::move(*place);
  entries_.erase(place);
  return last;
}

RecursiveMutex::Hold::~Hold() {
  if (!entry_) return;
  std::unique_ptr<Entry> last = mutex_->leave(*entry_);
  if (last && !is_over(mutex_->session_.state())) {
    release_in_background(mutex_->session_, std::move(last->held));
  }
}

const HeldLock& RecursiveMutex::Hold::held() const {
  internal::check(entry_ != nullptr, "held() of a Hold that was released or moved from");
  return entry_->held;
}

Task<ReleaseOutcome> RecursiveMutex::Hold::release(Context context) {
  internal::check(entry_ != nullptr, "release() of a Hold that was released or moved from");
  Entry& entry = *std::exchange(entry_, nullptr);
  const bool lost = entry.held.cause().has_value();
  std::unique_ptr<Entry> last = mutex_->leave(entry);
  if (!last) co_return lost ? ReleaseOutcome::kAlreadyLost : ReleaseOutcome::kReleased;
  const ReleaseOutcome outcome = co_await last->held.release(std::move(context));
  co_return outcome;
}

}  // namespace lockstep
