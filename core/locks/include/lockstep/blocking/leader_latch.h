#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "lockstep/internal/lock_calls.h"
#include "lockstep/leader_latch.h"

namespace lockstep::blocking {

// One term of a leader, as of the time when it began. Copies are the same term.
class Leadership {
 public:
  Leadership(Zxid token, std::stop_token ended) : fencing_token(token), over(std::move(ended)) {}

  Zxid fencing_token;
  // Stopped when this term has ended, by a loss, by resign() or by close(): in the step in which
  // LeaderLatch::Listener hears of it. It may be stopped already: between the begin of a term and
  // the next statement of a thread that has waited for it, anything may happen.
  std::stop_token over;
};

// A LeaderLatch for threads: takes part in an election from start() to close(), and queues up again
// by itself whenever it stops leading. (Curator's LeaderLatch has the same functions.)
//
//   blocking::LeaderLatch latch(client, "/elections/billing", LockOptions("ann@host"));
//   latch.start();
//   const blocking::Leadership term = latch.wait();
//   while (!term.over.stop_requested()) bill(term.fencing_token);
//
// Every failure is a LockError (see Owned). Besides the codes listed there:
//   operation_canceled       wait() was stopped, or close() has ended the candidacy
//   operation_not_permitted  wait() before start(); start() again, or after close()
//   another error            the candidacy has ended by it: LeaderLatch::take_part()
// Any thread may call any function, but not on the executor. Client and observer outlive it. The
// parent of a forked child remains the candidate; in the child the functions throw
// operation_not_permitted, except close().
class LeaderLatch : private lockstep::internal::LockCalls {
 public:
  // Sends nothing. LockOptions::data describes this candidate to observers.
  LeaderLatch(Client& client, const Path& election, LockObserver* observer = nullptr)
      : LeaderLatch(client, election, LockOptions(), observer) {}
  LeaderLatch(Client& client, const Path& election, LockOptions options,
              LockObserver* observer = nullptr);
  LeaderLatch(const LeaderLatch&) = delete;
  LeaderLatch& operator=(const LeaderLatch&) = delete;
  // As close(). No other thread may be in a call then.
  ~LeaderLatch();

  // Returns at once; the candidate takes part in the background.
  void start();
  // Stops taking part: ends the current term, if it leads, and leaves the queue in the background.
  // Does not wait for ZooKeeper. Idempotent. It cannot be started again.
  void close();

  // Waits until it leads, and returns that term.
  Leadership wait(std::stop_token stop = {});
  // None if it does not lead in time.
  template <class Rep, class Period>
  [[nodiscard]] std::optional<Leadership> wait_for(std::chrono::duration<Rep, Period> wait,
                                                   std::stop_token stop = {}) {
    return wait_within(within(executor(), wait, std::move(stop)), "wait_for()");
  }
  template <class Unit>
  [[nodiscard]] std::optional<Leadership> wait_until(std::chrono::time_point<Clock, Unit> deadline,
                                                     std::stop_token stop = {}) {
    return wait_within(until(deadline, std::move(stop)), "wait_until()");
  }
  // The current term; none if it does not lead.
  [[nodiscard]] std::optional<Leadership> leadership();
  // Ends that term, if it is still the current one, and queues up again after the other candidates.
  void resign(const Leadership& term);

 private:
  class Candidate;

  [[nodiscard]] Executor& executor() const { return executor_; }
  std::optional<Leadership> wait_within(const Context& context, const char* what);
  static Task<ReleaseOutcome> close_and_destroy(std::unique_ptr<Candidate>& candidate);

  Executor& executor_;
  std::unique_ptr<Candidate> candidate_;
};

}  // namespace lockstep::blocking
