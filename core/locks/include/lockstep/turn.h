#pragma once

#include <string_view>
#include <utility>

#include "lockstep/lock_observer.h"
#include "lockstep/ok.h"
#include "lockstep/sequence.h"
#include "lockstep/session.h"

namespace lockstep {

// The queue that a contender stands in. The session and the observer outlive the wait.
class LockQueue {
 public:
  LockQueue(Session& of, Path lock_path, Marks contenders, LockObserver* told)
      : session(of), lock(std::move(lock_path)), marks(contenders), observer(told) {}

  Session& session;
  Path lock;
  Marks marks;
  LockObserver* observer;
  Path own = Path(Text());  // Another znode of the same holder, which does not keep it waiting.
};

// Whom a contender is ready to wait for.
enum class Patience : std::uint8_t {
  kWaits,         // Everybody in front.
  kWaitsToShare,  // Shared contenders only: kConflict if an exclusive one is in front.
  kDoesNotWait,   // Nobody: kConflict if anybody is in front.
};

// A contender that waits for its turn: steps 2 to 5 of ZooKeeper's lock recipe, for a recipe that
// has them in a coroutine of its own.
//
//   Waiter waiter(queue, ours, patience);
//   while (!waiter.decided_by(co_await waiter.look(context))) {
//     co_await ok(waiter.change_ahead(context));
//   }
//   const Result<Zxid> evidence = waiter.evidence();
//
// All that it is given outlives it. Errors and the rest: see wait_in_queue().
class Waiter {
 public:
  // `ours` is a child of the queue's lock.
  Waiter(const LockQueue& queue, const Path& ours, Patience patience);
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;
  ~Waiter() = default;

  // 2. Lists the queue, and leaves no watch: watching the list would wake the whole herd.
  [[nodiscard]] Operation<Children> look(const Context& context) const {
    return queue_.session.get_children(queue_.lock, context);
  }
  // 3. Whether that ends the wait: nobody keeps ours waiting, or it has failed. (The list is not
  // kept: n waiters would keep n times n names.)
  [[nodiscard]] bool decided_by(const Result<Children>& listed);
  // Of a wait that has ended.
  [[nodiscard]] const Result<Zxid>& evidence() const { return evidence_; }
  // 4. and 5. Waits until the nearest znode in front of ours has changed; or, if the list could not
  // be had, until it may be asked for again (Retry). Then it is time for another look.
  [[nodiscard]] Task<Result<void>> change_ahead(const Context& context);

 private:
  [[nodiscard]] bool ends_with(const Result<Zxid>& evidence) {
    evidence_ = evidence;
    return true;
  }

  const LockQueue& queue_;
  const Path& ours_;
  std::string_view name_;  // Of ours.
  Path ahead_{Text()};     // The nearest znode in front, until it is waited for; else null.
  Result<Zxid> evidence_;  // Or why the list could not be had.
  Patience patience_;
  bool first_ = true;           // No list was had yet.
  std::uint32_t refusals_ = 0;  // How often the list could not be had, in a row.
};

// Waits until the contender `ours`, a child of the queue's lock, is kept waiting by nobody: steps 2
// to 5 of ZooKeeper's lock recipe, on the nearest znode in front that excludes it. Resolves with
// the evidence: the pzxid of the list that showed it first. Transient errors are ridden out.
// Errors: kNoNode if `ours` is not in the queue (any more), kConflict as its patience says, those
// of Session::connected(). Resumes on the session's executor. All that it is given outlives it: the
// recipe that waits has it in its frame, and a queue may be long.
Task<Result<Zxid>> wait_in_queue(const LockQueue& queue, const Path& ours, Patience patience,
                                 const Context& context);

// The same in a queue of exclusive contenders, for as long as it takes.
Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context);

// Waits until a znode changes or is deleted; returns at once if it is not there. It is watched with
// a read that leaves no watch if it is gone. Where its ACL forbids that, the server tells us
// nothing of it (since 3.8.4, CVE-2024-23944): then any change of its parent's children counts, a
// herd. Connection losses are ridden out. Errors: those of Session::connected(). Resumes on the
// session's executor.
Task<Result<void>> change_of(Session& session, Path znode, Context context);

}  // namespace lockstep
