#pragma once

#include <optional>

#include "lockstep/client.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/internal/check.h"
#include "lockstep/lock_observer.h"
#include "lockstep/lock_options.h"
#include "lockstep/ok.h"
#include "lockstep/on_client.h"

namespace lockstep {

// A candidate that stays one: takes part in a LeaderElection until its context ends, and queues up
// again by itself, after the other candidates, when it has lost the leadership, its place or its
// session. (Curator's LeaderLatch, with a listener; the znodes are those of LeaderElection, whose
// observing functions show its leader too.)
//
//   LeaderLatch latch(client, "/elections/billing", LockOptions("ann@host"), listener);
//   co_await latch.take_part(Context(stop));  // Leads now and then, until it is stopped.
//
// Everything belongs to the client's executor; threads use blocking::LeaderLatch. Client, listener
// and observer outlive the latch, and the latch its tasks.
class LeaderLatch {
 public:
  // Its functions are called on the client's executor; they must not wait or throw, and must not
  // destroy the latch or its task. They may call resign().
  class Listener {
   public:
    Listener() = default;
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    virtual ~Listener() = default;

    // This candidate leads. The grant is the latch's, with the session that it belongs to, and can
    // be used until leads_no_more(). Pass its fencing token on, as a paused process is notified too
    // late.
    virtual void leads(const ClientGrant& leadership) = 0;
    // Called exactly once after each leads(), when that leadership has ended: by the `cause`, or by
    // resign() or the end of take_part() if there is none. As far as LockOptions::loss promises it,
    // no other candidate can lead yet: the call comes in the step in which the grant's lost_token()
    // is stopped, and before the znode of a leader that resigns is deleted.
    virtual void leads_no_more(std::optional<Error> cause) = 0;
  };

  // LockOptions::data describes this candidate to observers.
  LeaderLatch(Client& client, Path election, LockOptions options, Listener& listener,
              LockObserver* observer = nullptr)
      : candidacy_(client, std::move(election), std::move(options), observer),
        listener_(listener) {}
  LeaderLatch(const LeaderLatch&) = delete;
  LeaderLatch& operator=(const LeaderLatch&) = delete;
  ~LeaderLatch() {
    internal::check(!takes_part_, "a LeaderLatch must outlive the task of its take_part()");
  }

  // Takes part until the context ends, and resolves with
  //   kTimedOut, kCancelled          the context has ended: the usual end. At a deadline also
  //                                  kContactLost, kNotConnected and kOperationTimeout, as in
  //                                  OnClient; kNotConnected also if the client's policy bounds
  //                                  the time without a connection
  //   kAuthFailed, kClosing          the client has no further session
  //   kNodeExists, kBadArguments, kNoAuth ...   the errors of FairMutex that would come again
  // It goes on after an expired session, and after another client has deleted its place. When it
  // has resolved, or its task is destroyed, it does not lead, and its znodes are deleted, or are
  // being deleted in the background. One task at a time: a second one gets kConflict.
  Task<Result<void>> take_part(Context context = {});

  // Gives up the leadership, and queues up again after the other candidates. No effect on a
  // candidate that does not lead.
  void resign();

  [[nodiscard]] bool leads() const { return term_ != nullptr; }

 private:
  class Term;
  class TakingPart;

  Task<Result<void>> queue_up_and_lead(Context context);

  OnClient<FairMutex> candidacy_;
  Listener& listener_;
  Term* term_ = nullptr;  // The current one; null if it does not lead.
  bool takes_part_ = false;
};

}  // namespace lockstep
