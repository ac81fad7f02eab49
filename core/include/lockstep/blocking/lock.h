#pragma once

#include <chrono>
#include <concepts>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "lockstep/blocking/run.h"
#include "lockstep/internal/check.h"
#include "lockstep/internal/holders.h"

namespace lockstep::blocking {

// Whether who holds a lock may lock it again.
enum class Reentry : std::uint8_t { kForbidden, kAllowed };

// The context of a call that waits no longer than that from now on, by the executor's clock:
// virtual time on the fake. A hundred years are for ever.
template <class Rep, class Period>
[[nodiscard]] Context within(const Executor& executor, std::chrono::duration<Rep, Period> wait) {
  constexpr std::chrono::duration<double> kForEver = std::chrono::hours(100 * 365 * 24);
  if (std::chrono::duration<double>(wait) >= kForEver) return {};
  const TimePoint now = executor.now();
  if (wait <= wait.zero()) return {now};
  return {now + std::chrono::ceil<Duration>(wait)};
}

// What the blocking locks have in common: they take the locks of a Source, an OnClient or a
// Rejoining, wait for them through the executor's Blocker, and know by which caller (a thread, or a
// fiber of a hunt) each grant was taken. Every failure is a std::system_error:
//
//   of zookeeper_category()    the error of the recipe or of Client::session(), such as
//                              session expired while it waited: error_code.h
//   resource_deadlock_would_occur   the caller holds the lock already and would wait for itself;
//                              or it is what the executor runs (Blocker::block)
//   operation_not_permitted    the caller does not hold the lock
//
// A try_ function returns false if somebody else has the lock, if the caller has it already, or if
// its time is up: one deadline for the connection, the retries and the wait. With a deadline that
// has passed it asks nobody. Without one it waits for no contender, but for ZooKeeper's answers, as
// long as the connection is lost.
//
// Any number of callers; each object stands for one member of the lock's queue per caller. What it
// protects is protected as the recipe says: a grant can be lost at any time, so ask lost_token(),
// or hand fencing_token() on. Unlocking a lost lock is no error, and must be done before the caller
// can lock it again. Nobody may hold it or wait for it when it is destroyed (checked). Client and
// observer outlive it; the observer is called on the client's executor.
template <class Source>
class Lock {
 public:
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  // What the caller holds; see HeldLock. A stop callback of lost_token() runs on the executor,
  // where nothing may block: not even a question to this lock.
  [[nodiscard]] Zxid fencing_token() {
    return ask([](ClientGrant& grant) { return grant.held.fencing_token(); });
  }
  [[nodiscard]] Request check() {
    return ask([](ClientGrant& grant) { return grant.held.check(); });
  }
  [[nodiscard]] LockState state() {
    return ask([](ClientGrant& grant) { return grant.held.state(); });
  }
  [[nodiscard]] std::optional<Error> cause() {
    return ask([](ClientGrant& grant) { return grant.held.cause(); });
  }
  [[nodiscard]] std::stop_token lost_token() {
    return ask([](ClientGrant& grant) { return grant.held.lost_token(); });
  }
  [[nodiscard]] std::optional<TimePoint> valid_until() {
    return ask([](ClientGrant& grant) { return grant.held.valid_until(); });
  }
  // How often the caller has had to queue up anew: see Rejoining.
  [[nodiscard]] std::uint32_t rejoins() {
    return ask([](ClientGrant& grant) { return grant.rejoins; });
  }

 protected:
  explicit Lock(Source source, Reentry reentry = Reentry::kForbidden)
      : source_(std::move(source)), reentry_(reentry) {}
  ~Lock() {
    lockstep::internal::check(holders_.empty(), "a blocking lock is destroyed while it is held");
  }

  // `what` names the function in the message of the exception.
  template <class Way>
  void take(Way way, Context context, const char* what) {
    const Result<void> entered = enter_and_wait(way, std::move(context));
    if (entered) return;
    if (entered.error() == Error::kConflict) lockstep::internal::throw_would_deadlock(what);
    lockstep::internal::throw_error(entered.error(), what);
  }
  template <class Way>
  bool try_take(Way way, Context context, const char* what) {
    const Result<void> entered = enter_and_wait(way, std::move(context));
    if (entered) return true;
    const Error error = entered.error();
    if (error == Error::kConflict || error == Error::kTimedOut) return false;
    lockstep::internal::throw_error(error, what);
  }
  // Makes another grant of what the caller holds in that way.
  template <class Way>
  Result<void> change(Way way, Share from, Context context) {
    const LockOwner owner = caller();
    return run(executor(), [&] { return change_held(*this, owner, way, from, context); });
  }
  ReleaseOutcome give_back(Share share) {
    const LockOwner owner = caller();
    return run(executor(), [this, owner, share] { return leave(*this, owner, share); });
  }
  template <class Rep, class Period>
  [[nodiscard]] Context within(std::chrono::duration<Rep, Period> wait) const {
    return blocking::within(executor(), wait);
  }

 private:
  using Holders = lockstep::internal::Holders;

  [[nodiscard]] Executor& executor() const { return source_.client().executor(); }
  [[nodiscard]] LockOwner caller() const { return executor().blocker().caller(); }

  template <class Way>
  Result<void> enter_and_wait(Way way, Context context) {
    const LockOwner owner = caller();
    return run(executor(), [&] { return enter(*this, owner, way, context); });
  }
  template <class Way>
  static Task<Result<void>> enter(Lock& self, LockOwner owner, Way way, Context context) {
    if (Holders::Entry* const entry = self.holders_.find(owner)) {
      if (self.reentry_ == Reentry::kForbidden) co_return failure(Error::kConflict);
      co_return Holders::enter_again(*entry);
    }
    ClientGrant grant = co_await ok(self.source_.take(way, std::move(context)));
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
    const ReleaseOutcome outcome = co_await lockstep::internal::give_back(std::move(grant));
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
  auto ask(Ask question) {
    const LockOwner owner = caller();
    return run(executor(), [&] { return answer(holders_, owner, question); });
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
