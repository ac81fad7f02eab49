#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/fakezk/world.h"
#include "lockstep/judge/contender_lives.h"
#include "lockstep/judge/lock_rules.h"
#include "lockstep/lock_observer.h"
#include "lockstep/search/program.h"

namespace lockstep::judge {

// Judges the guarantees of a lock from what its contenders report and from what the server has
// committed. The oracles watch from outside: a recipe is judged by its effects. S oracles are about
// safety, L and livelock about liveness, R about what is reported.
//
//  S1  server-order exclusion: when a grant's evidence was true (a list, or the deletion of the
//      znode GrantRecord::after), its own znode existed, and no conflicting contender was in
//      front or, for a semaphore, no more leases were held than it has; and the intervals of
//      conflicting grants never overlap on the server. A grant whose znode the servers have
//      forgotten lasts until its holder knows of the loss, because no transaction has
//      ended it
//  S2  client-order exclusion, for grants that are kept by their holder's own clock (GrantRecord::
//      loss): when a grant is reported, the holder of every earlier conflicting grant has been
//      notified of its loss, or is giving it back, unless the server still has that grant too;
//      where several may hold together, at most that many believe that they hold
//  S3  the token of an exclusive grant exceeds those of all grants before it
//  S4  a contender's znode is deleted by its own session only, and only when the grant is given
//      back or lost; a grant that is suspect, lost or given back is not handed on to another
//      contender
//  S5  no orphan: when everything has settled, every contender's znode belongs to a session that
//      still holds or still waits
//  L1  no lost wakeup: wherever nothing can happen until time passes, a contender whose turn has
//      come holds the lock, or gets it within LockRules::idle_allowance; and every acquire resolves
//      (judged by the program, which knows its tasks: pending())
//  L2  conflicting grants come in the order of their places
//  L3  one wake per release: a contender looks at its queue again only after the one right in
//      front of it has gone. Not judged once a fault has struck: a contender may look again then
//  L4  an acquire that has a deadline resolves by then, unless a process was stalled, and does not
//      time out before
//  R1  a loss is reported at most once, never after a release, and no later than a release that
//      finds it
//  R2  every release of a grant reports the same outcome: "released" only if the release alone has
//      ended it, "already lost" only if something else has
//  livelock  a contender looks at its queue again and again although nothing has changed, or
//      takes one place after another
//
// Only a HeldLock is certain to report when its release begins. Losses that a release finds are
// therefore judged only for grants that are kept by their holder's own clock. Znodes that their own
// session deletes too early are judged for these, and for others when releasing() is called.
//
// An exhaustive search judges neither L3 nor livelock loops: it would have to try more orders.
class LockOracles final : public LockObserver {
 public:
  explicit LockOracles(LockRules rules) : rules_(std::move(rules)), lives_(rules_) {}
  // The rules are those of a queue of exclusive contenders with that mark.
  explicit LockOracles(std::string_view mark) : LockOracles({Mark{mark, Share::kExclusive}}) {}

  // The contenders that has_met() looks for.
  enum class Others : std::uint8_t { kAny, kExclusive };

  [[nodiscard]] const LockRules& rules() const { return rules_; }

  // begin() before each execution, end() after it: from then on nothing is judged.
  void begin(fakezk::World& world, search::Verdict& verdict);
  void end();
  // Tells the owner of `judge` when the current execution is over: `judge` points here until end()
  // and is null afterwards. One pointer at a time; it outlives the execution.
  void tell_end(LockOracles*& judge);

  // Called by the program: a session of a process begins to acquire, until `deadline` at most.
  // Several users of one session are told apart by their numbers.
  void acquiring(SessionId session, std::uint32_t process,
                 std::optional<TimePoint> deadline = std::nullopt, std::uint32_t user = 0);
  // The session's acquire has ended: it has the lock, or has failed, with this error if the program
  // says so.
  void resolved(SessionId session, std::uint32_t user = 0,
                std::optional<Error> failure = std::nullopt);
  // Called by a program whose grants are all of `lock`, in whatever queue they have their znodes:
  // S1 and S2 then compare those of different queues, too, unless another lock is named as well.
  // The order of grants (L2, S3) is that of one queue.
  void makes_grants_of(const Path& lock);
  // Whether the session's acquire in progress has waited for others. For a session that makes one
  // acquire at a time.
  [[nodiscard]] bool has_waited(SessionId session) const;
  // Whether there has been another contender, in whatever queue, since it began: one of another
  // session, or the remains of an earlier acquire of its own, which are still being deleted.
  [[nodiscard]] bool has_met(SessionId session, std::uint32_t user, Others others);
  // The process has died: its acquires no longer wait, and the grants of its sessions are over.
  // acquiring() tells which process owns a session; set_owner() does, too, for programs that do not
  // call it.
  void crashed(std::uint32_t process);
  void set_owner(std::uint32_t process, SessionId session) {
    process_of_.emplace_back(session, process);
  }
  // A user of that process has been ended in the middle of an acquire.
  void ended(std::uint32_t process, std::uint32_t user);
  // The contender of that process has finished. An acquire that is still open then has not been
  // reported by resolved(), which is "misuse": S5 would excuse its session forever.
  void finished(std::uint32_t process);
  // The same grant was released once more.
  void released_again(const Path& znode, ReleaseOutcome first, ReleaseOutcome second) {
    if (first != second) report_released_again(znode, first, second);
  }

  // The program itself has seen a guarantee broken: one of the above, or its own ("user:<name>").
  void violated(std::string_view oracle, std::string message);

  // The servers have committed something: judged in the same step.
  void committed() { follow_server(); }

  // Whether a grant of that znode was reported, with that token: its name may be used again.
  [[nodiscard]] bool has_heard_of(const Path& znode, Zxid token);
  // Returns the number of facts that each oracle has judged since begin(), without those whose
  // judgement a fault has waived.
  [[nodiscard]] const search::Judgements& judged() const { return judged_; }

  // Called at the end, when nothing can happen any more. The znodes of a session that is still at
  // work, for whatever purpose, are not orphans.
  void at_work(SessionId session) { acquiring_.push_back({session, kNoProcess, std::nullopt}); }
  void check_orphans();
  // Called when nothing can happen until the clock moves to `until`.
  void at_rest(TimePoint until);

  void place_reserved(SessionId session, const Path& lock, const Path& znode) override;
  void waiting(SessionId session, const Path& znode, std::size_t ahead) override;
  void granted(const GrantRecord& grant) override;
  void gave_up(SessionId session, const Path& lock, Error error) override;
  void handed_on(const GrantRecord& grant, std::uint32_t holder) override;
  void suspected(const GrantRecord& grant) override;
  void held_again(const GrantRecord& grant) override;
  void lost(const GrantRecord& grant, Error cause) override;
  void releasing(const GrantRecord& grant) override;
  void released(const GrantRecord& grant, ReleaseOutcome outcome) override;
  void dropped(const GrantRecord& grant) override;

 private:
  struct Grant {
    fakezk::PathId lock;  // The parent of its znode.
    fakezk::PathId znode;
    Zxid token;
    Zxid created;
    Zxid evidence;
    Share share;
    std::size_t life;  // The index in lives_ of its znode.
    LossPolicy loss;
    std::uint32_t losses = 0;
    bool suspect = false;
    bool releasing = false;
    bool lost_before_release = false;
    bool lost_with_session = false;  // As far as its client was told.
    bool given_back = false;
    std::optional<ReleaseOutcome> outcome = {};

    // Whether it is held as far as its holder knows.
    [[nodiscard]] bool held() const { return losses == 0 && !releasing && !given_back; }
    [[nodiscard]] bool by_own_clock() const { return loss != LossPolicy::kServerNotice; }
  };
  using Life = ContenderLife;
  // How a session looks at the queue for one place: its own place, or the one znode that all
  // contenders compete for.
  struct Looks {
    SessionId session;
    std::size_t life;  // The index in lives_ of that znode.
    // The zxids up to which its server had applied at its last look, and at the one before: its
    // next list shows at least that much. The leader may be ahead.
    Zxid last = 0;
    Zxid before = 0;
    std::size_t changes = 0;  // Queue changes that its server had applied at its last look.
    std::uint32_t idle = 0;
  };
  static constexpr std::size_t kNoLife = static_cast<std::size_t>(-1);
  // How many places the current acquire of a user has taken in one lock.
  struct PlacesInLock {
    SessionId session;
    std::uint32_t user;
    fakezk::PathId lock;
    std::uint32_t places;
  };
  struct Acquire {
    SessionId session;
    std::uint32_t process;
    std::optional<TimePoint> deadline;
    std::uint32_t user = 0;
    Zxid began = 0;
    std::uint32_t places = 0;
    bool waits = false;  // It has reported so.
    // Since when a place of it has been kept from the lock although its turn had come, and how many
    // changes of queues and faults there had been.
    std::optional<TimePoint> idle_since = {};
    std::size_t changes = 0;
    std::uint32_t faults = 0;
  };
  static constexpr std::uint32_t kNoProcess = static_cast<std::uint32_t>(-1);

  void judge_grant(const GrantRecord& grant);
  void granted_after_deletion(const GrantRecord& grant);
  void record_memory_write();
  void record_memory_read();
  // Reads what the servers have committed since the last call.
  void follow_server() {
    lives_.follow(world_->server().history(), [this](const fakezk::Change& change,
                                                     const Life& life) { deleted(change, life); });
  }
  void deleted(const fakezk::Change& change, const Life& life);
  [[nodiscard]] const Life* life_of(const Grant& grant) const {
    return grant.life == kNoLife ? nullptr : &lives_[grant.life];
  }
  // Whether two queues, the parents of contenders' znodes, are known to be those of one lock.
  [[nodiscard]] bool is_of_one_lock(fakezk::PathId one, fakezk::PathId other) const {
    return one == other || locks_.size() == 1;
  }
  [[nodiscard]] inline const Life* own_life(const GrantRecord& grant);
  [[nodiscard]] Looks& looks_of(SessionId session, std::size_t life);
  void judge_look(Looks& looks, std::size_t changes);
  // Whether each release lets only the next contender of its queue in, so that a wake of any other
  // is in vain.
  [[nodiscard]] bool wakes_one(const Life& own) const {
    return rules_.holders == 1 && rules_.single.empty() && !own.lease;
  }
  [[nodiscard]] bool touched_since(fakezk::PathId lock, Zxid look) const;
  [[nodiscard]] bool woken_in_vain(const Life& own, Zxid look_before) const;
  [[nodiscard]] std::string_view text(fakezk::PathId znode) const {
    return world_->server().paths().text(znode).view();
  }
  [[nodiscard]] bool is(fakezk::PathId znode, const Path& path) const {
    return world_->server().paths().text(znode) == path.text();
  }
  inline void check_evidence(const GrantRecord& grant, const Life& own);
  inline void check_who_is_in_front(const GrantRecord& grant, const Life& own);
  void check_leases(const GrantRecord& grant, const Life& own);
  [[gnu::cold]] void check_continued(const GrantRecord& grant);
  [[nodiscard]] const Life* continued_life(const GrantRecord& grant) const;
  inline void check_earlier_grants(const GrantRecord& grant, const Life& own);
  [[nodiscard]] inline bool is_continued(const Life& other, const GrantRecord& grant) const;
  [[nodiscard]] inline bool may_overlap(const GrantRecord& grant, const Life& own,
                                        const Grant& earlier) const;
  void check_number_of_holders(const GrantRecord& grant, const Life& own);
  [[nodiscard]] bool holds_beside(const Grant& earlier, const Life& own) const;
  void check_told(const Grant& dead, const Life& life, const Path& now_granted);
  void check_late_grants();
  void remember_late_grant(const Path& held_instead);
  void check_own_deletion(const Grant& grant);
  inline void check_order(const GrantRecord& grant, const Grant& earlier);
  void count_grant(const GrantRecord& grant);
  // Counts facts, unless a fault that has struck waives their judgement.
  void count(search::Oracle oracle, std::uint64_t facts = 1);
  void check_release(const GrantRecord& grant, const Grant* known, const Life* life);
  void check_already_lost(const GrantRecord& grant, const Grant& known, const Life* life);
  [[nodiscard]] Grant* find(const GrantRecord& grant);
  [[nodiscard]] std::vector<Acquire>::iterator find_acquire(SessionId session, std::uint32_t user);
  [[nodiscard]] bool is_held(const Life& life) const;
  [[nodiscard]] bool still_in_use(const Life& life) const;
  [[nodiscard]] const Life* idle_place(const Acquire& acquire) const;
  [[nodiscard]] bool was_granted(const Life& life) const;
  [[nodiscard]] bool is_its_turn(const Life& own) const;

  // Reporting, which is rare, is kept apart from what runs in every step (lock_reports.cc).
  void report(search::Oracle oracle, std::string message);
  [[gnu::cold]] void report(search::Oracle oracle, const GrantRecord& grant, std::string_view what);
  [[gnu::cold]] void report_released_again(const Path& znode, ReleaseOutcome first,
                                           ReleaseOutcome second);
  [[gnu::cold]] void report_places(SessionId session, std::uint32_t places, const Path& znode);
  [[gnu::cold]] void report_late(SessionId session, Duration late);
  [[gnu::cold]] void report_early(SessionId session, Duration early);
  [[gnu::cold]] void report_unresolved(SessionId session);
  [[gnu::cold]] void report_idle(const Life& place, Duration idle);
  [[gnu::cold]] void report_never_created(const GrantRecord& grant);
  [[gnu::cold]] void report_evidence(const GrantRecord& grant);
  [[gnu::cold]] void report_continued(const GrantRecord& grant);
  [[gnu::cold]] void report_not_deleted(const GrantRecord& grant);
  [[gnu::cold]] void report_in_front(const GrantRecord& grant, const Life& other);
  [[gnu::cold]] void report_leases(const GrantRecord& grant, std::uint32_t leases);
  [[gnu::cold]] void report_overlap(const GrantRecord& grant, const Grant& earlier);
  [[gnu::cold]] void report_untold(const Grant& dead, const Life& life, const Path& now_granted);
  [[gnu::cold]] void report_order(Zxid first, Zxid second, Share later);
  [[gnu::cold]] void report_theft(const fakezk::Change& change);
  [[gnu::cold]] void tell_place(SessionId session, const Path& znode);
  [[gnu::cold]] void tell_granted(const GrantRecord& grant);
  [[gnu::cold]] void tell_handed_on(const GrantRecord& grant, std::uint32_t holder);
  [[gnu::cold]] void tell_lost(const GrantRecord& grant, Error cause);
  [[gnu::cold]] void tell_released(const GrantRecord& grant, ReleaseOutcome outcome);
  void tell_grant(const GrantRecord& grant,
                  void (fakezk::World::*what)(std::uint32_t, const Path&));
  void note(SessionId session, std::string_view text);
  // The session as the lanes name it.
  [[nodiscard]] std::string who(SessionId session) const;
  [[nodiscard]] std::optional<std::uint32_t> process_of(SessionId session) const;

  LockRules rules_;
  fakezk::World* world_ = nullptr;
  search::Verdict* verdict_ = nullptr;
  LockOracles** until_end_ = nullptr;
  search::Judgements judged_;
  std::vector<Grant> grants_;
  std::vector<Path> locks_;  // That makes_grants_of() has named.
  // Grants that were reported after they were over on the server, when another contender held: each
  // holder has to be notified of the loss in the same step.
  struct LateGrant {
    std::size_t index;  // In grants_.
    Path held_instead;
    std::uint32_t step;
    TimePoint at;  // Timers fire between two steps.
  };
  std::vector<LateGrant> late_grants_;
  std::vector<Acquire> acquiring_;
  std::vector<PlacesInLock> places_;
  std::vector<std::pair<SessionId, std::uint32_t>> process_of_;
  ContenderLives lives_;
  std::vector<Looks> looks_;
};

}  // namespace lockstep::judge
