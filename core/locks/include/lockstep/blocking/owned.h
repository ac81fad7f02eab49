#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "lockstep/blocking/bounds.h"
#include "lockstep/internal/check.h"
#include "lockstep/internal/holders.h"
#include "lockstep/internal/lock_calls.h"

namespace lockstep::blocking {

// Whether a caller that holds a lock may lock it again.
enum class Reentry : std::uint8_t {
  kForbidden,
  kAllowed,     // Each level is one more unlock().
  kIntoTheHold  // The same, and the hold itself has the levels: levels(), has_hold(), leave(); and
                // a way to take the lock also takes another level of a hold.
};

// The common part of the blocking locks whose grants belong to their callers. They take the locks
// of a Source, an OnClient, a Rejoining or a SharedOnClient, wait for them through the executor's
// Blocker, and record which caller (a thread, or a fiber of a hunt) has taken each grant. Every
// failure is a LockError, which is a std::system_error whose text names the call and the lock's
// path:
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
// it again. When the object is destroyed, no caller may hold it or be in a call of it (checked).
// Client and observer outlive it; the observer is called on the client's executor.
//
// A forked child has a copy of the object, but none of its grants: the parent keeps holding the
// lock, and nothing protects the child. In the child every function throws operation_not_permitted,
// except the releasing ones: unlock() does nothing and release() returns ReleaseOutcome::kUnknown,
// so that a child may leave the scope of a std::unique_lock, and of the lock itself, without an
// effect on its parent. It is safest for the child to call exec or _exit before that.
template <class Source, class Grant = ClientGrant, Reentry kReentry = Reentry::kForbidden>
class Owned : private lockstep::internal::LockCalls {
 public:
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  // How often the caller has had to queue up again: see Rejoining. Asks the executor's thread, and
  // must not be called on it.
  [[nodiscard]] std::uint32_t rejoins() {
    return ask("rejoins()", [](Grant& grant) { return grant.rejoins; });
  }

 protected:
  Owned(Source source, const Path& lock, Bounds bounds)
      : LockCalls(lock, bounds), source_(std::move(source)) {}
  ~Owned() { end(executor(), holders_, "a blocking lock is destroyed while it is held"); }

  // `what` is the name of the function in the exception's text.
  template <class Way>
  void take(Way way, Context context, const char* what) {
    const Attempt made = attempt(way, std::move(context), what);
    const bool conflict = !made.result && made.result.error() == Error::kConflict;
    // Such a lock lets its owner in again, so a conflict is always with another contender.
    if (kReentry == Reentry::kIntoTheHold && conflict) fail(Error::kConflict, what);
    must_be_taken(made, what);
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
  // Ends the caller's grant by way(held, context), a Task<Result<void>>, instead of a release.
  template <class Way>
  Result<void> finish(Way way, Context context, const char* what) {
    return call(executor(), what,
                [&](LockOwner owner) { return finish_held(*this, owner, way, context); });
  }
  // Releases the caller's grant, or a level of it.
  ReleaseOutcome give_back(Share share, const char* what) {
    return call(executor(), what, [&](LockOwner owner) { return leave(*this, owner, share); });
  }
  // The context of the functions that take a duration.
  template <class Rep, class Period>
  [[nodiscard]] Context within(std::chrono::duration<Rep, Period> wait,
                               std::stop_token stop = {}) const {
    return lockstep::within(executor(), wait, std::move(stop));
  }

  // Asks about the caller's grant.
  template <class Ask>
  auto ask(const char* what, Ask question) {
    return call(executor(), what,
                [&](LockOwner owner) { return answer(holders_, owner, question); });
  }

 private:
  using Holders = lockstep::internal::Holders<Grant>;
  using Entry = typename Holders::Entry;
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
  static Task<Result<void>> enter(Owned& self, LockOwner owner, Way way, Context context,
                                  std::string& last_failure) {
    if (Entry* const entry = self.holders_.find(owner)) {
      const Result<void> entered =
          co_await enter_again(self, *entry, way, std::move(context), last_failure);
      co_return entered;
    }
    Grant grant =
        co_await ok(LockCalls::acquire<Grant>(self.source_, way, std::move(context), last_failure));
    self.holders_.add(owner, std::move(grant));
    co_return Result<void>();
  }
  template <class Way>
  static Task<Result<void>> enter_again(Owned& self, Entry& entry, Way way, Context context,
                                        std::string& last_failure) {
    if constexpr (kReentry == Reentry::kForbidden) {
      co_return failure(Error::kConflict);
    } else if constexpr (kReentry == Reentry::kAllowed) {
      if (const auto cause = entry.grant.held.cause()) co_return failure(*cause);
      ++entry.depth;
      co_return Result<void>();
    } else {
      const TimePoint began = self.executor().now();
      const Result<void> entered = co_await way(entry.grant.held, context);
      if (entered) co_return entered;
      const Error error = lockstep::internal::why_not_acquired(
          entered.error(), *entry.grant.session, began, context);
      if (concerns_the_client(error)) last_failure = self.source_.client().last_failure();
      co_return failure(error);
    }
  }
  static Task<ReleaseOutcome> leave(Owned& self, LockOwner owner, Share share) {
    Entry& entry = self.holders_.holding(owner, share);
    Context patience = self.within(self.bounds().release_patience);
    if constexpr (kReentry == Reentry::kAllowed) {
      if (entry.depth > 1) {
        --entry.depth;
        co_return entry.grant.held.cause() ? ReleaseOutcome::kAlreadyLost
                                           : ReleaseOutcome::kReleased;
      }
    } else if constexpr (kReentry == Reentry::kIntoTheHold) {
      if (entry.grant.held.levels() > 1) {
        const ReleaseOutcome left = co_await entry.grant.held.leave(share, std::move(patience));
        co_return left;
      }
    }
    Grant grant = self.holders_.take(entry);
    const ReleaseOutcome outcome =
        co_await lockstep::internal::give_back(std::move(grant), std::move(patience));
    co_return outcome;
  }
  template <class Way>
  static Task<Result<void>> finish_held(Owned& self, LockOwner owner, Way way, Context context) {
    Grant grant = self.holders_.take(self.holders_.holding(owner));
    const Result<void> over = co_await way(grant.held, std::move(context));
    co_return over;
  }
  template <class Way>
  static Task<Result<void>> change_held(Owned& self, LockOwner owner, Way way, Share from,
                                        Context context) {
    Grant& grant = self.holders_.holding(owner, from).grant;
    const Result<void> changed = co_await self.source_.change(grant, way, std::move(context));
    co_return changed;
  }

  template <class Ask>
  static Task<std::invoke_result_t<Ask, Grant&>> answer(Holders& holders, LockOwner owner,
                                                        Ask question) {
    co_return question(holders.holding(owner).grant);
  }

  Source source_;
  Holders holders_;
};

}  // namespace lockstep::blocking
