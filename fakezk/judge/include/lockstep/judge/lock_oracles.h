#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/fakezk/world.h"
#include "lockstep/judge/lock_rules.h"
#include "lockstep/lock_observer.h"
#include "lockstep/search/program.h"

namespace lockstep::judge {

// The guarantees of a lock, as judges of what its contenders report and of what the server has
// really committed. They watch from outside: a recipe is judged by its effects.
//
//   S1  server-order exclusion: when a grant's evidence was true, the own znode existed and nobody
//       conflicting was in front, or there were no more leases than there may be; the intervals of
//       conflicting grants on the server never overlap
//   S2  client-order exclusion, for grants that are kept by their holder's own clock (GrantRecord::
//       loss): when somebody is told of a grant, the holder of every earlier one that conflicts
//       with it has been told of its loss, or is giving it back, unless the server has it too
//   S3  the token of an exclusive grant exceeds those of all grants before it
//   S4  nobody deletes a contender's znode but its own session, and that only when it is given back
//       or lost
//   S5  no orphan: when everything has settled, every contender's znode belongs to a session that
//       still holds or still waits
//   L1  no lost wakeup: every acquire resolves (judged by whoever knows the tasks: pending())
//   L2  grants that conflict come in the order of the places
//   L3  one wake per release: a contender looks at its queue again only when the one right in
//       front of it has gone. Judged while no fault has struck: after one it may look anew
//   L4  an acquire that has a deadline resolves by then, unless its process was stalled
//   R1  a loss is reported once at most, never after a release, and no later than a release that
//       finds it
//   R2  every release of a grant tells the same outcome, and "released" only if nothing but the
//       release has ended it, "already lost" only if something else has
// That a release begins, a HeldLock tells: what is said of losses that are found by it, and of
// znodes that their own session deletes too early, is judged of grants by their own clock only.
//   livelock  a contender looks at its queue again and again although nothing has changed, or
//       takes one place after the other
// An exhaustive search does not judge L3 and the loops of livelock: it would have to try more
// orders.
class LockOracles final : public LockObserver {
 public:
  explicit LockOracles(LockRules rules) : rules_(std::move(rules)) {}
  // Of a queue of exclusive contenders with that mark.
  explicit LockOracles(std::string_view mark) : LockOracles({Mark{mark, Share::kExclusive}}) {}

  [[nodiscard]] const LockRules& rules() const { return rules_; }

  // Before each execution, and behind it: then nobody judges any more.
  void begin(fakezk::World& world, search::Verdict& verdict);
  void end();
  // Whoever has to know whether there is an execution that this judges: `judge` points here until
  // its end, and then nowhere. One at a time; it lives until then.
  void tell_end(LockOracles*& judge);

  // From the program: a session of a process begins to acquire, until `deadline` at most; the same
  // grant was released once more.
  void acquiring(SessionId session, std::uint32_t process,
                 std::optional<TimePoint> deadline = std::nullopt);
  // Its acquire has ended, one way or the other.
  void resolved(SessionId session);
  // The process has died: nobody waits for its acquires any more.
  void crashed(std::uint32_t process);
  void released_again(const Path& znode, ReleaseOutcome first, ReleaseOutcome second) {
    if (first != second) report_released_again(znode, first, second);
  }

  // The program itself has seen a guarantee broken: one of the above, or its own ("user:<name>").
  void violated(std::string_view oracle, std::string message) {
    report(oracle, std::move(message));
  }

  // The servers have committed something: judged in the step in which it happens.
  void committed() { follow_server(); }

  // Whether a grant of that znode was reported.
  [[nodiscard]] bool has_heard_of(const Path& znode);

  // At the end, when nothing can happen any more. Whoever is at work with a session, for whatever
  // purpose, has left no orphan there.
  void at_work(SessionId session) { acquiring_.push_back({session, kNoProcess, std::nullopt}); }
  void check_orphans();

  void place_reserved(SessionId session, const Path& lock, const Path& znode) override;
  void waiting(SessionId session, const Path& znode, std::size_t ahead) override;
  void granted(const GrantRecord& grant) override;
  void gave_up(SessionId session, const Path& lock, Error error) override;
  void lost(const GrantRecord& grant, Error cause) override;
  void releasing(const GrantRecord& grant) override;
  void released(const GrantRecord& grant, ReleaseOutcome outcome) override;
  void dropped(const GrantRecord& grant) override;

 private:
  struct Grant {
    fakezk::PathId lock;
    fakezk::PathId znode;
    Zxid token;
    Zxid created;
    Zxid evidence;
    Share share;
    std::size_t life;  // Of its znode, among lives_.
    LossPolicy loss;
    std::uint32_t losses = 0;
    bool releasing = false;
    bool lost_before_release = false;
    bool given_back = false;

    // As its holder sees it.
    [[nodiscard]] bool held() const { return losses == 0 && !releasing && !given_back; }
    [[nodiscard]] bool by_own_clock() const { return loss != LossPolicy::kServerNotice; }
  };
  // What the name of a znode says of it.
  struct Role {
    Contender contender{};
    bool contends = false;
    bool lease = false;
    bool known = false;
  };
  // One life of a contender's znode, as the server committed it.
  struct Life {
    fakezk::PathId znode;
    fakezk::PathId lock;
    Contender contender;
    bool lease;
    Zxid created;
    SessionId owner;
    Zxid deleted = 0;  // 0: it lives.
    SessionId deleted_by = 0;
    Zxid touched = 0;  // When its data was set last.
  };
  // How a session looks at the queue for a place: its own, or the znode that all of them are after.
  struct Looks {
    SessionId session;
    std::size_t life;  // Of that znode, among lives_.
    // What its server had applied when it looked last, and the time before: at least that much it
    // has seen in its next list. The leader may be ahead.
    Zxid last = 0;
    Zxid before = 0;
    std::size_t changes = 0;  // Of the queues, that its server had applied when it looked last.
    std::uint32_t idle = 0;
  };
  static constexpr std::size_t kNoLife = static_cast<std::size_t>(-1);
  struct Acquire {
    SessionId session;
    std::uint32_t process;
    std::optional<TimePoint> deadline;
    std::uint32_t places = 0;
  };
  static constexpr std::uint32_t kNoProcess = static_cast<std::uint32_t>(-1);

  void remembers();
  void forgets();
  // Takes in what the server has committed since the last call: most often nothing.
  void follow_server() {
    const fakezk::History& history = world_->server().history();
    if (followed_ < history.size()) follow(history);
  }
  void follow(const fakezk::History& history);
  [[nodiscard]] const Role& role_of(fakezk::PathId znode) {
    return znode < roles_.size() && roles_[znode].known ? roles_[znode] : read_role(znode);
  }
  const Role& read_role(fakezk::PathId znode);
  inline void created(const fakezk::Change& change);
  inline void deleted(const fakezk::Change& change);
  void touched(const fakezk::Change& change);
  [[nodiscard]] inline const Life* life_of(const Path& znode, Zxid created) const;
  [[nodiscard]] const Life* life_of(const Grant& grant) const {
    return grant.life == kNoLife ? nullptr : &lives_[grant.life];
  }
  [[nodiscard]] inline const Life* own_life(const GrantRecord& grant);
  [[nodiscard]] const Life* living(const Path& znode) const;
  [[nodiscard]] Looks& looks_of(SessionId session, std::size_t life);
  [[nodiscard]] std::size_t changes_until(Zxid applied) const;
  void judge_look(Looks& looks, std::size_t changes);
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
  inline void check_earlier_grants(const GrantRecord& grant, fakezk::PathId lock, const Life& own);
  [[nodiscard]] inline bool may_overlap(const GrantRecord& grant, const Life& own,
                                        const Grant& earlier) const;
  void check_told(const Grant& dead, const Life& life, const Path& now_granted);
  void check_late_grant();
  void check_own_deletion(const Grant& grant);
  inline void check_order(const GrantRecord& grant, const Grant& earlier);
  [[nodiscard]] Grant* find(const GrantRecord& grant);
  [[nodiscard]] bool still_in_use(const Life& life) const;

  // What is said, rarely: apart from what is looked at every time (lock_reports.cc).
  void report(std::string_view oracle, std::string message);
  [[gnu::cold]] void report(std::string_view oracle, const GrantRecord& grant,
                            std::string_view what);
  [[gnu::cold]] void report_released_again(const Path& znode, ReleaseOutcome first,
                                           ReleaseOutcome second);
  [[gnu::cold]] void report_places(SessionId session, std::uint32_t places, const Path& znode);
  [[gnu::cold]] void report_late(SessionId session, Duration late);
  [[gnu::cold]] void report_never_created(const GrantRecord& grant);
  [[gnu::cold]] void report_evidence(const GrantRecord& grant);
  [[gnu::cold]] void report_in_front(const GrantRecord& grant, const Life& other);
  [[gnu::cold]] void report_leases(const GrantRecord& grant, std::uint32_t leases);
  [[gnu::cold]] void report_overlap(const GrantRecord& grant, const Grant& earlier);
  [[gnu::cold]] void report_untold(const Grant& dead, const Life& life, const Path& now_granted);
  [[gnu::cold]] void report_order(Zxid first, Zxid second, Share later);
  [[gnu::cold]] void report_theft(const fakezk::Change& change);
  [[gnu::cold]] void tell_place(SessionId session, const Path& znode);
  [[gnu::cold]] void tell_granted(const GrantRecord& grant);
  [[gnu::cold]] void tell_lost(const GrantRecord& grant, Error cause);
  [[gnu::cold]] void tell_released(const GrantRecord& grant, ReleaseOutcome outcome);
  void tell_grant(const GrantRecord& grant,
                  void (fakezk::World::*what)(std::uint32_t, const Path&));
  void note(SessionId session, std::string_view text);
  // As the lanes do.
  [[nodiscard]] std::string who(SessionId session) const;
  [[nodiscard]] std::optional<std::uint32_t> process_of(SessionId session) const;

  LockRules rules_;
  fakezk::World* world_ = nullptr;
  search::Verdict* verdict_ = nullptr;
  LockOracles** until_end_ = nullptr;
  std::vector<Grant> grants_;
  // The holder heard of its grant when that was over on the server, and somebody else held: it has
  // to be told of its loss in the same step.
  std::optional<std::size_t> late_grant_;  // Among grants_.
  Path held_instead_{Text()};
  std::vector<Acquire> acquiring_;
  std::vector<std::pair<SessionId, std::uint32_t>> process_of_;
  std::vector<Life> lives_;  // In the order of their creation.
  // By PathId: every execution makes much the same znodes. The numbers are of that table.
  std::vector<Role> roles_;
  std::shared_ptr<const fakezk::PathTable> paths_;
  std::size_t followed_ = 0;
  std::vector<Zxid> changes_;  // Of the queues, in their order.
  std::vector<Looks> looks_;
};

}  // namespace lockstep::judge
