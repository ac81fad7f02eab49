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

// Whether who holds a lock may lock it again.
enum class Reentry : std::uint8_t { kForbidden, kAllowed };

// What the blocking locks have in common: they take the locks of a Source, an OnClient or a
// Rejoining, wait for them through the executor's Blocker, and know by which caller (a thread, or a
// fiber of a hunt) each grant was taken. Every failure is a LockError, which is a std::system_error
// whose text names the call and the lock's path:
//
//   of zookeeper_category()    the error of the recipe, of OnClient or of Client::session(), such
//                              as session expired while it waited: error_code.h
//   not_connected (kNotConnected)   no server was connected within the time there was; the text
//                              says why, as far as the client knows
//   timed_out (kOperationTimeout)   the server did not answer within the time there was
//   operation_canceled (kCancelled) the stop token was triggered before the lock was had
//   resource_deadlock_would_occur   the caller holds the lock already and would wait for itself;
//                              or it is what the executor runs (Blocker::block)
//   operation_not_permitted    the caller does not hold the lock
//
// A try_ function returns false if somebody else has the lock, if the caller has it already, or if
// its time is up while it waits in the lock's queue: one deadline for the connection, the retries
// and the wait. That nobody could be asked is not "somebody else has it": it is an error, as above.
// With a deadline that has passed a try_ function asks nobody, and is false if the client is
// connected. Without a deadline it waits for no contender, and for ZooKeeper's answers as long as
// Bounds::try_patience says. lock() without a stop token waits for as long as it takes, with a
// server that is not there for ever.
//
// Any number of callers; each object stands for one member of the lock's queue per caller. What it
// protects is protected as the recipe says: a grant can be lost at any time, so ask lost_token(),
// or hand fencing_token() on. Unlocking a lost lock is no error, and must be done before the caller
// can lock it again. Nobody may hold it or wait for it when it is destroyed (checked). Client and
// observer outlive it; the observer is called on the client's executor.
//
// A forked child has a copy of the object, and no part in what the object holds: its parent goes on
// holding the lock, and the child is protected by nothing. In the child every function throws
// operation_not_permitted, except those that give back: unlock() does nothing and release() says
// ReleaseOutcome::kUnknown, so that a child may leave the scope of a std::unique_lock, and of the
// lock itself, without an effect on its parent. The safe course is to let it call exec or _exit
// before that.
template <class Source>
class Lock : private lockstep::internal::LockCalls {
 public:
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  // What the caller holds; see HeldLock. Each is a question to the executor's thread, and none may
  // be asked there.
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
  // Stopped when the lock is lost. The token itself is anybody's, and costs nothing to ask:
  //
  //   const std::unique_lock lock(mutex, 30s);
  //   const std::stop_token lost = mutex.lost_token();
  //   while (!lost.stop_requested() && work_is_left()) do_some_work();
  //
  // A std::stop_callback of it runs on the executor's thread, where nothing may block: it sets a
  // flag, closes a socket, wakes a condition variable, but does not unlock.
  [[nodiscard]] std::stop_token lost_token() {
    return ask("lost_token()", [](ClientGrant& grant) { return grant.held.lost_token(); });
  }
  // Stopped while the lock may be about to be lost: see HeldLock::suspect_token(). For a holder
  // that wants to end its work in order before lost_token() is stopped.
  [[nodiscard]] std::stop_token suspect_token() {
    return ask("suspect_token()", [](ClientGrant& grant) { return grant.held.suspect_token(); });
  }
  [[nodiscard]] std::optional<TimePoint> valid_until() {
    return ask("valid_until()", [](ClientGrant& grant) { return grant.held.valid_until(); });
  }
  // How often the caller has had to queue up anew: see Rejoining.
  [[nodiscard]] std::uint32_t rejoins() {
    return ask("rejoins()", [](ClientGrant& grant) { return grant.rejoins; });
  }

 protected:
  Lock(Source source, const Path& lock, Bounds bounds, Reentry reentry = Reentry::kForbidden)
      : LockCalls(lock, bounds), source_(std::move(source)), reentry_(reentry) {}
  ~Lock() { end(executor(), holders_, "a blocking lock is destroyed while it is held"); }

  // `what` names the function in the text of the exception.
  template <class Way>
  void take(Way way, Context context, const char* what) {
    must_be_taken(attempt(way, std::move(context), what), what);
  }
  // False if its turn has not come in time.
  template <class Way>
  bool try_take(Way way, Context context, const char* what) {
    return taken_in_time(attempt(way, std::move(context), what), what);
  }
  // For a `way` that waits for no contender.
  template <class Way>
  bool try_take_at_once(Way way, const char* what) {
    return taken_at_once(attempt(way, within(bounds().try_patience), what), what);
  }
  // Makes another grant of what the caller holds in that way.
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
