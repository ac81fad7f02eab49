#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/fakezk/world.h"
#include "lockstep/search/program.h"
#include "lockstep/session.h"

namespace lockstep::judge {

// The resource that a lock protects; it judges its users. ZooKeeper never sees these calls: this is
// a shop's stock or a disk, reached over another wire than the lock.
//
//  S2               client-order exclusion: no process enters while another one is inside, unless
//                   the server has ended the session of either without its knowledge. A client that
//                   has closed its session itself, or has been notified of its end, knows better;
//                   and the server does not end a session before the time until which its client
//                   relies on it, by the client's own clock
//  L3               one wake per release, for locks that have no queue, as long as no fault has
//                   struck
//  user:stale-write a write with an older fencing token than an earlier write
//  user:fenced-out  a writer whose session lives is refused because of a newer token: a token was
//                   used that was never granted
//  user:oversold    more was sold than there was
// S2 and user:fenced-out are not judged once an operator has deleted a znode: its holder may not
// know yet.
class SharedResource {
 public:
  // Called before each execution; `stock` items may be sold.
  void begin(fakezk::World& world, search::Verdict& verdict, std::uint32_t stock);

  // The holder of a lock, whose grant belongs to `session`, begins and ends its critical section.
  // The session outlives the time between. Several users of one session are told apart by their
  // numbers (search::user_name).
  void enter(const Session& session, std::uint32_t user = 0);
  void leave(const Session& session, std::uint32_t user = 0);
  // The process inside relies on its session until `until` (HeldLock::valid_until). Judged now,
  // when it leaves, and when another one enters.
  void rely(const Session& session, TimePoint until, std::uint32_t user = 0);
  // Everything that runs on `executor` has died, wherever it was.
  void crashed(const Executor& executor);

  // Writes unconditionally.
  void write(Zxid token);
  // Refuses, by returning false, a token that is older than one it has seen. Two sessions that
  // write with the same token are "misuse": the token belongs to no grant.
  bool write_fenced(const Session& writer, Zxid token);

  // The items that are left; sells one of them.
  [[nodiscard]] std::uint32_t stock();
  void sell();

  // Returns the number of facts that each oracle has judged since begin().
  [[nodiscard]] const search::Judgements& judged() const { return judged_; }

  // Call them when a holder has released its lock, and when a waiter has been woken by that.
  void released();
  void woken();

 private:
  void record_memory_write();
  struct Visit {
    const Session* session;
    std::uint32_t user;
    const Executor* executor;
    std::optional<TimePoint> relies_until;
  };
  [[nodiscard]] std::vector<Visit>::iterator visit_of(const Session& session, std::uint32_t user);
  [[nodiscard]] bool excused(const Session& session) const;
  [[nodiscard]] bool relies(const Visit& visit) const;
  void judge_entry(const Session& session, std::uint32_t user);
  [[nodiscard]] std::string who(const Session& session, std::uint32_t user = 0) const;
  [[nodiscard]] std::string who_is_inside(const Visit& visit, const Session& enters,
                                          std::uint32_t user) const;
  void note(const Session& session, std::string_view text, std::uint32_t user = 0) const {
    if (world_->traced()) tell(session, text, user);
  }
  void tell(const Session& session, std::string_view text, std::uint32_t user) const;
  void note(std::string_view text) const;
  inline void judge_reliance(const Visit& visit);
  [[gnu::cold, gnu::noinline]] void report_reliance(const Visit& visit);
  [[nodiscard]] bool by_operator() const {
    return (world_->kinds_injected() & bit(fakezk::FaultKind::kForeignDelete)) != 0;
  }

  fakezk::World* world_ = nullptr;
  search::Verdict* verdict_ = nullptr;
  search::Judgements judged_;
  std::vector<Visit> inside_;
  Zxid newest_ = 0;
  SessionId newest_writer_ = 0;  // The session of the newest fenced write.
  std::uint32_t stock_ = 0;
  std::uint32_t woken_ = 0;  // Waiters, since the last release.
};

}  // namespace lockstep::judge
