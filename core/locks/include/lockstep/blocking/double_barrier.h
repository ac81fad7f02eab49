#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <utility>

#include "lockstep/blocking/lock.h"
#include "lockstep/double_barrier.h"
#include "lockstep/on_client.h"

namespace lockstep {

namespace internal {

// A member, and the barrier that it belongs to.
class BarrierMember {
 public:
  BarrierMember(std::unique_ptr<DoubleBarrier> barrier, DoubleBarrier::Member member)
      : barrier_(std::move(barrier)), member_(std::move(member)) {}

  [[nodiscard]] const HeldLock& held() const { return member_.held(); }
  [[nodiscard]] Zxid fencing_token() const { return held().fencing_token(); }
  [[nodiscard]] std::int32_t round() const { return member_.round(); }
  Task<Result<void>> leave(Context context) { return member_.leave(std::move(context)); }

 private:
  std::unique_ptr<DoubleBarrier> barrier_;
  DoubleBarrier::Member member_;
};

// A DoubleBarrier that OnClient may forget as soon as a member has entered.
class BarrierEntry {
 public:
  BarrierEntry(Session& session, Path barrier, std::int32_t members, LockOptions options,
               LockObserver* observer)
      : barrier_(std::make_unique<DoubleBarrier>(session, std::move(barrier), members,
                                                 std::move(options), observer)) {}
  Task<Result<BarrierMember>> acquire(Context context) {
    DoubleBarrier::Member member = co_await ok(barrier_->enter(std::move(context)));
    co_return BarrierMember(std::move(barrier_), std::move(member));
  }

 private:
  std::unique_ptr<DoubleBarrier> barrier_;
};

}  // namespace internal

namespace blocking {

// A DoubleBarrier for threads: each caller is a member.
//
//   blocking::DoubleBarrier barrier(client, "/barriers/step", 8);
//   barrier.enter();
//   compute(barrier.round());
//   barrier.leave();
//
// Errors, callers, deadlines, forked children: see Owned, where a member is a holder: a caller that
// is inside cannot enter (resource_deadlock_would_occur), and the object is not destroyed before
// all its members have left. state() and lost_token() are the member's: the others may leave
// without a member whose grant is lost.
class DoubleBarrier : public Lock<OnClient<lockstep::internal::BarrierEntry>, Reentry::kForbidden,
                                  GrantOnClient<lockstep::internal::BarrierMember>> {
 public:
  DoubleBarrier(Client& client, const Path& barrier, std::int32_t members,
                LockObserver* observer = nullptr)
      : DoubleBarrier(client, barrier, members, LockOptions(), observer) {}
  DoubleBarrier(Client& client, const Path& barrier, std::int32_t members, LockOptions options,
                LockObserver* observer = nullptr)
      : Lock(OnClient<lockstep::internal::BarrierEntry>(client, barrier, members,
                                                        std::move(options), observer),
             barrier, Bounds()) {}

  // Wait until as many members are there as the barrier needs.
  void enter(std::stop_token stop = {}) { take(kAcquire, Context(std::move(stop)), "enter()"); }
  // Returns false if not all have come in time; the caller has then not entered either.
  template <class Rep, class Period>
  [[nodiscard]] bool try_enter_for(std::chrono::duration<Rep, Period> wait,
                                   std::stop_token stop = {}) {
    return try_take(kAcquire, within(wait, std::move(stop)), "try_enter_for()");
  }
  template <class Unit>
  [[nodiscard]] bool try_enter_until(std::chrono::time_point<Clock, Unit> deadline,
                                     std::stop_token stop = {}) {
    return try_take(kAcquire, until(deadline, std::move(stop)), "try_enter_until()");
  }
  // The number of the caller's round: DoubleBarrier::Member::round().
  [[nodiscard]] std::int32_t round() {
    return ask("round()", [](auto& grant) { return grant.held.round(); });
  }

  // Wait until all members of the round have left or died. The caller has left in any case, even if
  // the call throws, or returns false because some members were still inside when the time was up.
  void leave(std::stop_token stop = {});
  template <class Rep, class Period>
  [[nodiscard]] bool try_leave_for(std::chrono::duration<Rep, Period> wait,
                                   std::stop_token stop = {}) {
    return leave_in_time(within(wait, std::move(stop)), "try_leave_for()");
  }
  template <class Unit>
  [[nodiscard]] bool try_leave_until(std::chrono::time_point<Clock, Unit> deadline,
                                     std::stop_token stop = {}) {
    return leave_in_time(until(deadline, std::move(stop)), "try_leave_until()");
  }

 private:
  [[nodiscard]] bool leave_in_time(Context context, const char* what);
};

}  // namespace blocking
}  // namespace lockstep
