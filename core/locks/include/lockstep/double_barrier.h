#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "lockstep/held_lock.h"
#include "lockstep/internal/task_count.h"
#include "lockstep/lock_observer.h"
#include "lockstep/lock_options.h"
#include "lockstep/ok.h"
#include "lockstep/session.h"
#include "lockstep/transaction.h"
#include "lockstep/watch.h"
#include "lockstep/within.h"

namespace lockstep {

// The mark of a member's znode.
inline constexpr std::string_view kMemberMark = "-member-";

// Lets its members begin a computation together, and end it together. (ZooKeeper Recipes and
// Solutions, "Double Barriers"; Curator's DistributedDoubleBarrier has the same purpose.)
//
// enter() resolves when as many members are there as the barrier needs, and leave() when all of
// them have left or died. The znode "ready" opens the barrier. In the manual's recipe it stays, so
// that later rounds begin too early; here its data says up to which sequence number members have
// entered. A member that comes later waits until they have gone, and enters with the next round.
//
//   DoubleBarrier barrier(session, "/barriers/step", 8);
//   Result<DoubleBarrier::Member> member = co_await barrier.enter(30s);
//   if (member) compute();
//   if (member) co_await member->leave(30s);
//
// enter() resolves with a member, or with the errors of FairMutex::acquire; kBadArguments also if
// the barrier needs less than one member, kMarshallingError if "ready" is not one of ours. On every
// error, and when the task is destroyed, the member's znode is deleted in the background; a round
// that begins after that does not count it. A round that had begun before, of which the member had
// not heard by its deadline, did: the others entered, and take it for dead. Both functions survive
// connection losses; each has one deadline.
//
// A round begins by one transaction, which checks that the members that make it complete are still
// there. Members therefore need to read each other's znodes (kNoAuth; LockOptions::acl), and the
// paths of all that a barrier needs must fit into a packet (kPacketTooLarge): some thousands.
//
// A member is a grant: when its lost_token() is stopped, the others take it for dead and may leave
// without it. "ready" stays when a round is over. A client that deletes "ready" or another member's
// znode can let members pass too early or wait too long.
//
// Resumes on the session's executor. Session, barrier and observer outlive the tasks and the
// members, and a member outlives its leave().
class DoubleBarrier {
 public:
  // A process inside. Movable; destroying it leaves in the background, without waiting.
  class Member {
   public:
    using OfRecipe = DoubleBarrier;  // See OnClient.
    [[nodiscard]] const HeldLock& held() const { return held_; }
    // The same number for all members of a round; grows from round to round.
    [[nodiscard]] std::int32_t round() const { return round_; }
    // Waits until all members of the round have left or died. Errors: kTimedOut and kCancelled, if
    // the context ends first; those of Session::connected(). It has left then all the same: its
    // znode is deleted, or is being deleted in the background. May be called once.
    Task<Result<void>> leave(Context context = {});
    // With a deadline that is this far from now.
    Task<Result<void>> leave(Duration wait) {
      return leave(within(barrier_->session_.executor(), wait));
    }

   private:
    friend class DoubleBarrier;
    Member(DoubleBarrier& barrier, HeldLock held, std::int32_t round)
        : barrier_(&barrier), held_(std::move(held)), round_(round) {}

    DoubleBarrier* barrier_;
    HeldLock held_;
    std::int32_t round_;
  };

  // It needs `members` to open. Its path is created as a container when missing.
  DoubleBarrier(Session& session, Path barrier, std::int32_t members,
                LockObserver* observer = nullptr)
      : DoubleBarrier(session, std::move(barrier), members, LockOptions(), observer) {}
  DoubleBarrier(Session& session, Path barrier, std::int32_t members, LockOptions options,
                LockObserver* observer = nullptr)
      : session_(session),
        barrier_(std::move(barrier)),
        members_(members),
        options_(std::move(options)),
        observer_(observer) {}

  Task<Result<Member>> enter(Context context = {}) {
    return enter(One(tasks_), std::move(context));
  }
  // With a deadline that is this far from now.
  Task<Result<Member>> enter(Duration wait) { return enter(within(session_.executor(), wait)); }

 private:
  using One = internal::TaskCount::One;

  // The number in "ready": the last round that has begun.
  class Ready {
   public:
    explicit Ready(Watch on) : watch(std::move(on)) {}
    // Whether a member with that number has entered.
    [[nodiscard]] bool includes(std::int32_t number) const;

    std::optional<std::int32_t> last;  // The highest number that has entered; none: no round yet.
    std::int32_t version = 0;
    Zxid since = 0;
    Watch watch;  // Fires when the next round begins.
  };

  [[nodiscard]] Result<void> valid() const;
  [[nodiscard]] Path ready_path() const { return barrier_ / "ready"; }
  Task<Result<Member>> enter(One counted, Context context);
  Task<Result<Member>> come_in(Context context);
  Task<Result<Ready>> wait_until_ready(Path ours, Context context);
  Task<Result<Ready>> read_ready(Context context);
  Task<Result<void>> wait_or_begin(Path ours, Ready before, Context context);
  [[nodiscard]] Transaction set_ready(const Ready& before, std::int32_t last) const;
  Task<Result<void>> begin_round(Transaction round, Context context);
  Task<Result<void>> wait_for_others(HeldLock& held, std::int32_t round, Context context);

  Session& session_;
  Path barrier_;
  std::int32_t members_;
  LockOptions options_;
  LockObserver* observer_;
  internal::TaskCount tasks_{"a DoubleBarrier must outlive the tasks that enter it"};
};

}  // namespace lockstep
