#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

#include "lockstep/blocking/bounds.h"
#include "lockstep/internal/check.h"
#include "lockstep/internal/holders.h"
#include "lockstep/internal/lock_calls.h"

namespace lockstep::blocking {

// Whether a caller that holds a lock may lock it again.
enum class Reentry : std::uint8_t { kForbidden, kAllowed };

// The common part of the blocking locks. They take the locks of a Source, an OnClient or a
// Rejoining, wait for them through the executor's Blocker, and record which caller (a thread, or a
// fiber of a hunt) has taken each grant. Every failure is a LockError, which is a std::system_error
// whose text names the call and the lock's path:
//
//   of zookeeper_category()    the error of the recipe, of OnClient or of Client::session(), such
//                              as session expired while it waited: error_code.h
//   not_connected (kNotConnected)   no server was connected in time; the text gives the reason, as
//                              far as the client knows it
//   timed_out (kOperationTimeout)   the server did not answer in time
//   operation_canceled (kCancelled) the stop token was triggered before the lock was acquired
//   resource_deadlock_would_occur   the caller already holds the lock and would wait for itself; or
//                              the executor itself runs the caller (Blocker::block)
//   operation_not_permitted    the caller does not hold the lock
//
// A try_ function returns false if another contender has the lock, if the caller has it already, or
// if its time is up while it waits in the lock's queue: one deadline for the connection, the
// retries and the wait. An unreachable server is not the same as a taken lock: it is an error, as
// above. With a deadline that has passed, a try_ function sends no request and returns false if the
// client is connected. Without a deadline it does not wait for contenders, and for ZooKeeper's
// answers no longer than Bounds::try_patience. lock() without a stop token waits without a limit,
// also for a server that never answers.
//
// Any number of callers may use one object; each caller is one member of the lock's queue.
// Protection is that of the recipe: a grant can be lost at any time, so check lost_token(), or pass
// fencing_token() on. Unlocking a lost lock is no error, and is required before the caller can lock
// it again. When the object is destroyed, no caller may hold it or wait for it (checked). Client
// and observer outlive it; the observer is called on the client's executor.
//
// A forked child has a copy of the object, but none of its grants: the parent keeps holding the
// lock, and nothing protects the child. In the child every function throws operation_not_permitted,
// except the releasing ones: unlock() does nothing and release() returns ReleaseOutcome::kUnknown,
// so that a child may leave the scope of a std::unique_lock, and of the lock itself, without an
// effect on its parent. It is safest for the child to call exec or _exit before that.
template <class Source>
class Lock : private lockstep::internal::LockCalls {
 public:
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  // The state of the caller's grant; see HeldLock. Each of these asks the executor's thread, and
  // must not be called on it.
  [[nodiscard]] Zxid fencing_token() {
    return ask("fencing_token()", [](ClientGrant& grant) { return grant.held.fencing_token(); });
  }
  [[nodiscard]] Request check() {
    return ask("check()", [](ClientGrant& grant) { return grant.held.check(); });
  }
  [[nodiscard]] LockState state() {
    return ask("state()", [](ClientGrant& grant) { return grant.held.state(); });
  }
  [[nodiscard]] std::optional<Error> cause() {
    return ask("cause()", [](ClientGrant& grant) { return grant.held.cause(); });
  }
  // Stopped when the lock is lost. Any thread may use the token, at no cost:
  //
  //   const std::unique_lock lock(mutex, 30s);
  //   const std::stop_token lost = mutex.lost_token();
  //   while (!lost.stop_requested() && work_is_left()) do_some_work();
  //
  // A std::stop_callback of it runs on the executor's thread, where nothing may block: it may set a
  // flag, close a socket or wake a condition variable, but not unlock.
  [[nodiscard]] std::stop_token lost_token() {
    return ask("lost_token()", [](ClientGrant& grant) { return grant.held.lost_token(); });
  }
  // Stopped while the lock may be about to be lost: see HeldLock::suspect_token(). For a holder
  // that wants to finish its work in order before lost_token() is stopped.
  [[nodiscard]] std::stop_token suspect_token() {
    return ask("suspect_token()", [](ClientGrant& grant) { return grant.held.suspect_token(); });
  }
  // Stopped when another client asks for the lock with revoke(); only if LockOptions::revocable.
  [[nodiscard]] std::stop_token revoked_token() {
    return ask("revoked_token()", [](ClientGrant& grant) { return grant.held.revoked_token(); });
  }
  [[nodiscard]] std::optional<TimePoint> valid_until() {
    return ask("valid_until()", [](ClientGrant& grant) { return grant.held.valid_until(); });
  }
  // How often the caller has had to queue up again: see Rejoining.
  [[nodiscard]] std::uint32_t rejoins() {
    return ask("rejoins()", [](ClientGrant& grant) { return grant.rejoins; });
  }

 protected:
  Lock(Source source, const Path& lock, Bounds bounds, Reentry reentry = Reentry::kForbidden)
      : LockCalls(lock, bounds), source_(std::move(source)), reentry_(reentry) {}
  ~Lock() { end(executor(), holders_, "a blocking lock is destroyed while it is held"); }

  // `what` is the name of the function in the exception's text.
  template <class Way>
  void take(Way way, Context context, const char* what) {
    must_be_taken(attempt(way, std::move(context), what), what);
  }
  // Returns false if the caller's turn has not come in time.
  template <class Way>
  bool try_take(Way way, Context context, const char* what) {
    return taken_in_time(attempt(way, std::move(context), what), what);
  }
  // For a `way` that does not wait for contenders.
  template <class Way>
  bool try_take_at_once(Way way, const char* what) {
    return taken_at_once(attempt(way, within(bounds().try_patience), what), what);
  }
  // Changes the caller's grant in that way.
  template <class Way>
  Result<void> change(Way way, Share from, Context context, const char* what) {
    return call(executor(), what,
                [&](LockOwner owner) { return change_held(*this, owner, way, from, context); });
  }
  using LockCalls::fail;
  ReleaseOutcome give_back(Share share, const char* what) {
    return call(executor(), what, [&](LockOwner owner) { return leave(*this, owner, share); });
  }
  template <class Rep, class Period>
  [[nodiscard]] Context within(std::chrono::duration<Rep, Period> wait,
                               std::stop_token stop = {}) const {
    return lockstep::within(executor(), wait, std::move(stop));
  }
  template <class Unit>
  [[nodiscard]] static Context until(std::chrono::time_point<Clock, Unit> deadline,
                                     std::stop_token stop = {}) {
    return {std::chrono::time_point_cast<Duration>(deadline), std::move(stop)};
  }

 private:
  using Holders = lockstep::internal::Holders;
  using Attempt = lockstep::internal::Attempt;

  [[nodiscard]] Executor& executor() const { return source_.client().executor(); }

  template <class Way>
  Attempt attempt(Way way, Context context, const char* what) {
    Attempt made;
    made.result = call(executor(), what, [&](LockOwner owner) {
      return enter(*this, owner, way, context, made.last_failure);
    });
    return made;
  }
  template <class Way>
  static Task<Result<void>> enter(Lock& self, LockOwner owner, Way way, Context context,
                                  std::string& last_failure) {
    if (Holders::Entry* const entry = self.holders_.find(owner)) {
      if (self.reentry_ == Reentry::kForbidden) co_return failure(Error::kConflict);
      co_return Holders::enter_again(*entry);
    }
    ClientGrant grant = co_await ok(acquire(self.source_, way, std::move(context), last_failure));
    self.holders_.add(owner, std::move(grant));
    co_return Result<void>();
  }
  static Task<ReleaseOutcome> leave(Lock& self, LockOwner owner, Share share) {
    Holders::Entry& entry = self.holders_.holding(owner, share);
    if (entry.depth > 1) {
      --entry.depth;
      co_return entry.grant.held.cause() ? ReleaseOutcome::kAlreadyLost : ReleaseOutcome::kReleased;
    }
    ClientGrant grant = self.holders_.take(entry);
    Context patience = self.within(self.bounds().release_patience);
    const ReleaseOutcome outcome =
        co_await lockstep::internal::give_back(std::move(grant), std::move(patience));
    co_return outcome;
  }

  template <class Way>
  static Task<Result<void>> change_held(Lock& self, LockOwner owner, Way way, Share from,
                                        Context context) {
    ClientGrant& grant = self.holders_.holding(owner, from).grant;
    const Result<void> changed = co_await self.source_.change(grant, way, std::move(context));
    co_return changed;
  }

  template <class Ask>
  auto ask(const char* what, Ask question) {
    return call(executor(), what,
                [&](LockOwner owner) { return answer(holders_, owner, question); });
  }
  template <class Ask>
  static Task<std::invoke_result_t<Ask, ClientGrant&>> answer(Holders& holders, LockOwner owner,
                                                              Ask question) {
    co_return question(holders.holding(owner).grant);
  }

  Source source_;
  Reentry reentry_;
  Holders holders_;
};

}  // namespace lockstep::blocking
