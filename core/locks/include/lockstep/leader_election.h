#pragma once

#include <optional>
#include <vector>

#include "lockstep/contenders.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/held_lock.h"
#include "lockstep/lock_observer.h"
#include "lockstep/ok.h"
#include "lockstep/session.h"
#include "lockstep/within.h"

namespace lockstep {

// The leader, as an observer sees it.
class Leader {
 public:
  Leader(Path path, Data data, const Stat& stat)
      : znode(std::move(path)), candidate(std::move(data)), token(stat.czxid), seen(stat.mzxid) {}

  Path znode;
  Data candidate;  // Its own description.
  Zxid token;      // The fencing token of its leadership; grows from leader to leader.
  Zxid seen;       // Changes with the leader, and with its description.
};

// One leader at a time among its candidates; when it leaves, the candidate that has waited longest
// follows. (ZooKeeper Recipes and Solutions, "Leader Election"; Curator's LeaderSelector uses the
// same znodes.) Leadership is a grant: HeldLock::release() resigns, lost_token() reports its end,
// and the fencing token distinguishes the actions of this leader from those of an earlier one.
//
// campaign() resolves with leadership, or with the errors of FairMutex::acquire. Observing needs no
// candidacy; its result was true when the server was asked. Errors of the observing calls: kNoAuth,
// those of Session::connected(), the end of the context.
//
// Resumes on the session's executor. Session, election and observer outlive the tasks; the session
// and the observer outlive the grants. Every observer reads every change itself: that is inevitably
// a herd.
class LeaderElection {
 public:
  // `candidate` describes this candidate to observers.
  LeaderElection(Session& session, Path election, Data candidate, LockObserver* observer = nullptr)
      : LeaderElection(session, std::move(election), LockOptions(std::move(candidate)), observer) {}
  // LockOptions::data describes this candidate. proclaim() overwrites a request to resign that the
  // candidate has not noticed yet.
  LeaderElection(Session& session, Path election, LockOptions options,
                 LockObserver* observer = nullptr)
      : session_(session),
        election_(election),
        marks_(options.marks),
        mutex_(session, std::move(election), std::move(options), observer) {}

  Task<Result<HeldLock>> campaign(Context context = {}) {
    return mutex_.acquire(std::move(context));
  }
  // With a deadline that is this far from now.
  Task<Result<HeldLock>> campaign(Duration wait) { return mutex_.acquire(wait); }
  // Changes this candidate's description. Errors: kNoNode if the leadership is lost, as
  // Session::set_data.
  Task<Result<void>> proclaim(const HeldLock& leadership, Data candidate, Context context = {});

  // The current leader; nothing if there is none.
  Task<Result<std::optional<Leader>>> leader(Context context = {});
  // Waits until the leader differs from `known`, a Leader::seen (0: no leader), and returns it.
  Task<Result<std::optional<Leader>>> leader_after(Zxid known, Context context = {});
  // All candidates, the leader first.
  Task<Result<std::vector<QueueEntry>>> candidates(Context context = {}) {
    return mutex_.contenders(std::move(context));
  }

 private:
  Task<Result<std::optional<Path>>> first_candidate(Context context);
  Task<Result<void>> candidacy(Context context);

  Session& session_;
  Path election_;
  Marks marks_;
  FairMutex mutex_;
};

}  // namespace lockstep
