#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "lockstep/blocking/exclusive_calls.h"
#include "lockstep/blocking/lock.h"
#include "lockstep/blocking/shared_calls.h"
#include "lockstep/on_client.h"
#include "lockstep/recursive_read_write_lock.h"

namespace lockstep {

namespace internal {

// All levels of the only owner of a RecursiveReadWriteLock, and the lock.
class RecursiveHolds {
 public:
  using Hold = RecursiveReadWriteLock::Hold;
  RecursiveHolds(std::unique_ptr<RecursiveReadWriteLock> lock, Hold first)
      : lock_(std::move(lock)) {
    levels_.push_back(std::move(first));
  }
  RecursiveHolds(RecursiveHolds&&) noexcept = default;
  // Swaps: the holds are destroyed before their lock.
  RecursiveHolds& operator=(RecursiveHolds&& other) noexcept {
    std::swap(lock_, other.lock_);
    std::swap(levels_, other.levels_);
    return *this;
  }
  RecursiveHolds(const RecursiveHolds&) = delete;
  RecursiveHolds& operator=(const RecursiveHolds&) = delete;
  ~RecursiveHolds() = default;

  [[nodiscard]] const HeldLock& held() const { return levels_.front().held(); }
  [[nodiscard]] Zxid fencing_token() const { return held().fencing_token(); }
  [[nodiscard]] std::size_t levels() const { return levels_.size(); }
  [[nodiscard]] bool has_hold(Share share) const;
  // One level more.
  Task<Result<void>> acquire(Share share, Patience patience, Context context);
  // One level less; `share` is one that it has.
  Task<ReleaseOutcome> leave(Share share, Context context);
  // The last level.
  Task<ReleaseOutcome> release(Context context) {
    return levels_.back().release(std::move(context));
  }

 private:
  std::unique_ptr<RecursiveReadWriteLock> lock_;
  std::vector<Hold> levels_;
};

// A RecursiveReadWriteLock for one owner, which OnClient may forget as soon as that holds it.
class RecursiveEntry {
 public:
  RecursiveEntry(Session& session, Path lock, LockOptions options, LockObserver* observer)
      : lock_(std::make_unique<RecursiveReadWriteLock>(session, std::move(lock), std::move(options),
                                                       observer)) {}
  Task<Result<RecursiveHolds>> acquire(Share share, Patience patience, Context context);

 private:
  std::unique_ptr<RecursiveReadWriteLock> lock_;
};

// A way to acquire: of an entry, or of the holds that there are already.
template <Share kShare, Patience kPatience>
struct Enter {
  auto operator()(auto& target, Context context) const {
    return target.acquire(kShare, kPatience, std::move(context));
  }
};

using RecursiveCalls = blocking::SharedCalls<
    blocking::ExclusiveCalls<
        blocking::Lock<OnClient<RecursiveEntry>, blocking::Reentry::kIntoTheHold,
                       GrantOnClient<RecursiveHolds>>,
        Enter<Share::kExclusive, Patience::kWaits>{},
        Enter<Share::kExclusive, Patience::kDoesNotWait>{}>,
    Enter<Share::kShared, Patience::kWaits>{}, Enter<Share::kShared, Patience::kDoesNotWait>{}>;

}  // namespace internal

namespace blocking {

// A RecursiveReadWriteLock as std::shared_timed_mutex: its caller may lock it again, to read and to
// write, and unlocks it as often, in the same ways. Errors, callers, deadlines: see Owned, but the
// caller that holds it is let in.
//
// lock() of a caller that only reads upgrades: it waits for the other readers, and throws
// device_or_resource_busy, and the try_ functions return false, if another writer waits already;
// the caller keeps its read holds. The last unlock() of a caller that still reads downgrades. Once
// the lock is lost, every function that locks it throws the cause of the loss until the caller has
// unlocked all its holds.
//
// release() and release_shared() of inner levels: see RecursiveReadWriteLock::Hold::release().
class RecursiveReadWriteLock : public lockstep::internal::RecursiveCalls {
 public:
  RecursiveReadWriteLock(Client& client, const Path& lock, LockObserver* observer = nullptr)
      : RecursiveReadWriteLock(client, lock, LockOptions(), observer) {}
  RecursiveReadWriteLock(Client& client, const Path& lock, LockOptions options,
                         LockObserver* observer = nullptr)
      : RecursiveReadWriteLock(client, lock, Bounds(), std::move(options), observer) {}
  RecursiveReadWriteLock(Client& client, const Path& lock, Bounds bounds, LockOptions options,
                         LockObserver* observer = nullptr)
      : SharedCalls(OnClient<lockstep::internal::RecursiveEntry>(client, lock, std::move(options),
                                                                 observer),
                    lock, bounds) {}
};

}  // namespace blocking
}  // namespace lockstep
