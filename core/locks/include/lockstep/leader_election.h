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

// Who leads, as an observer sees it.
class Leader {
 public:
  Leader(Path path, Data data, const Stat& stat)
      : znode(std::move(path)), candidate(std::move(data)), token(stat.czxid), seen(stat.mzxid) {}

  Path znode;
  Data candidate;  // What it has said about itself.
  Zxid token;      // The fencing token of its leadership; grows from leader to leader.
  Zxid seen;       // Changes when the leader changes, or what it says about itself.
};

// One leader at a time among its candidates; when it goes, the candidate that has waited longest
// follows. (ZooKeeper Recipes and Solutions, "Leader Election"; Curator's LeaderSelector uses the
// same znodes.) Leadership is a grant: HeldLock::release() resigns, lost_token() tells of its end,
// and the fencing token tells the acts of this leader from those of an earlier one.
//
// campaign() resolves with leadership, or with the errors of FairMutex::acquire. Observing needs no
// candidacy; what it shows was true when the server was asked. Errors of the observing calls:
// kNoAuth, those of Session::connected(), the end of the context.
//
// Resumes on the session's executor. Session, election and observer outlive the tasks; the session
// and the observer outlive the grants. Every observer hears of every change by a read of its own:
// that is a herd by its nature.
class LeaderElection {
 public:
  // `candidate`: what we say about ourselves, for whoever asks who leads.
  LeaderElection(Session& session, Path election, Data candidate, LockObserver* observer = nullptr)
      : LeaderElection(session, std::move(election), LockOptions(std::move(candidate)), observer) {}
  // LockOptions::data is what we say about ourselves. proclaim() overwrites a request to resign
  // that the candidate has not noticed yet.
  LeaderElection(Session& session, Path election, LockOptions options,
                 LockObserver* observer = nullptr)
      : session_(session),
        election_(election),
        marks_(options.marks),
        mutex_(session, std::move(election), std::move(options), observer) {}

  Task<Result<HeldLock>> campaign(Context context = {}) {
    return mutex_.acquire(std::move(context));
  }
  // Within that time, from now on.
  Task<Result<HeldLock>> campaign(Duration wait) { return mutex_.acquire(wait); }
  // Changes what we say about ourselves. Errors: kNoNode if the leadership is lost, as
  // Session::set_data.
  Task<Result<void>> proclaim(const HeldLock& leadership, Data candidate, Context context = {});

  // Who leads now; nothing if nobody does.
  Task<Result<std::optional<Leader>>> leader(Context context = {});
  // Waits until that is another than `known`, a Leader::seen (0: nobody), and says who.
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
