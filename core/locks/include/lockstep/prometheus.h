#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lockstep/clock.h"
#include "lockstep/lock_observer.h"
#include "lockstep/session_observer.h"

namespace lockstep {

class Executor;

// Counts the events of locks and sessions, for Prometheus: register it with a Client as its
// SessionObserver and with its locks as their LockObserver, and answer a scrape with text(). The
// sessions provide its clock: without them, waiting and holding times stay unknown. text() lists
// the series and labels. Every lock path becomes a label value, so it is meant for a bounded number
// of paths. It outlives the client and the locks.
//
// Belongs to one executor, like the locks and sessions it observes, and uses no mutex. Another
// thread gets the text by blocking::run(), with a task that returns text().
class PrometheusMetrics final : public LockObserver, public SessionObserver {
 public:
  PrometheusMetrics() = default;

  // The exposition format, version 0.0.4 (content type "text/plain; version=0.0.4"):
  //   lockstep_places_reserved_total{lock}     znodes created in a queue
  //   lockstep_grants_total{lock,share}        share="exclusive" or "shared"
  //   lockstep_acquires_failed_total{lock,error}
  //   lockstep_losses_total{lock,cause}        also those that only a release has shown
  //   lockstep_suspicions_total{lock}          lockstep_recoveries_total{lock}: held again
  //   lockstep_releases_total{lock,outcome}    outcome="dropped": destroyed without release()
  //   lockstep_rejoins_total{lock}             lockstep_revocations_asked_total{lock}
  //   lockstep_handovers_total{lock}           grants that went on inside their session
  //   lockstep_foreign_children_total{lock}
  //   lockstep_last_numbers_total{lock}        znodes with one of the last sequence numbers
  //   lockstep_waiting{lock}                   gauge: our contenders in the queue without a grant
  //   lockstep_acquires_in_flight{lock}        gauge: our acquires that have not ended yet
  //   lockstep_held{lock}                      gauge: our grants
  //   lockstep_ahead{lock}                     gauge: contenders ahead at the latest look; 0 while
  //                                            none of ours waits
  //   lockstep_wait_seconds{lock}              histogram: from the place in the queue to the grant
  //   lockstep_hold_seconds{lock}              histogram: from the grant to its end
  //   lockstep_requests_total{op}              made; one round trip each, unless the client refuses
  //                                            it (a malformed path, the end of its session)
  //   lockstep_request_errors_total{op,error}
  //   lockstep_ambiguous_creates_total         creates whose outcome was unknown
  //   lockstep_orphan_deletes_total            cleanups in the background
  //   lockstep_orphans_left_total{error}       cleanups that the server has refused
  //   lockstep_session_states_total{state}     transitions of sessions into that state
  // `lock` is the path given to the lock, one for each lock that a user knows: a semaphore's own
  // path rather than those of its parts, an UnfairMutex's znode. A MultiLock has no path of its
  // own: it counts as each of its locks. A semaphore's wait is from the place in its queue to the
  // lease.
  [[nodiscard]] std::string text() const;

 private:
  static constexpr std::array kBucketsMs = {1, 5, 10, 50, 100, 500, 1000, 5000, 30000, 120000};

  class Histogram {
   public:
    void add(Duration value);
    // Observations up to each bound, cumulative; the last bound is infinity.
    std::array<std::uint64_t, kBucketsMs.size() + 1> at_most{};
    Duration sum{};
  };
  // A contender's znode in a session. An UnfairMutex's grants share a name: two of them may be
  // known at once, while the first one's release has no answer.
  class Known {
   public:
    Known(SessionId of, const Path& path, Zxid czxid)
        : session(of), znode(path.string()), created(czxid) {}
    friend auto operator<=>(const Known&, const Known&) = default;

    SessionId session;
    std::string znode;
    Zxid created;
  };
  // The beginnings; none if it was before there was a clock.
  using Since = std::map<Known, std::optional<TimePoint>>;
  using Counts = std::map<std::string_view, std::uint64_t>;  // by a name with static lifetime

  // The figures of one lock.
  class Figures {
   public:
    // `contenders` of ours have stopped waiting.
    void wait_no_more(std::int64_t contenders);

    std::uint64_t places = 0;
    std::uint64_t handovers = 0;
    std::uint64_t rejoins = 0;
    std::uint64_t revocations = 0;
    std::uint64_t suspicions = 0;
    std::uint64_t recoveries = 0;
    std::uint64_t foreign_children = 0;
    std::uint64_t last_numbers = 0;
    std::int64_t in_flight = 0;
    std::int64_t waiting = 0;
    std::int64_t held = 0;
    std::size_t ahead = 0;
    Counts grants;
    Counts failures;
    Counts losses;
    Counts releases;
    Histogram waits;
    Histogram holds;
  };
  class Text;

  // A wait or a grant that has ended.
  class Ended {
   public:
    std::optional<Duration> lasted;  // None if its beginning is unknown.
  };

  // A part of a lock that has several.
  class Part {
   public:
    std::string lock;
    LockPart kind = LockPart::kGrants;
  };

  void part_of(const Path& part, const Path& lock, LockPart kind) override;
  void acquire_begins(SessionId session, const Path& lock) override;
  void acquire_ends(SessionId session, const Path& lock) override;
  void place_reserved(SessionId session, const Path& lock, const Path& znode) override;
  void place_given_up(SessionId session, const Path& znode) override;
  void waiting(SessionId session, const Path& znode, std::size_t ahead) override;
  void foreign_child(const Path& lock, std::string_view name) override;
  void numbers_run_out(const Path& lock, std::int32_t number) override;
  void granted(const GrantRecord& grant) override;
  void gave_up(SessionId session, const Path& lock, Error error) override;
  void rejoining(const Path& lock) override;
  void handed_on(const GrantRecord& grant, std::uint32_t holder) override;
  void revocation_asked(const GrantRecord& grant) override;
  void suspected(const GrantRecord& grant) override;
  void held_again(const GrantRecord& grant) override;
  void lost(const GrantRecord& grant, Error cause) override;
  void released(const GrantRecord& grant, ReleaseOutcome outcome) override;
  void dropped(const GrantRecord& grant) override;
  void requested(OpCode op) override;
  void answered(OpCode op, std::optional<Error> error) override;
  void cleaning_up(const Path& znode) override;
  void not_cleaned_up(const Path& znode, Error error) override;
  void state_changed(const Session& session, SessionState state) override;

  // Null if `path` is a whole lock.
  [[nodiscard]] const Part* part(const Path& path) const;
  [[nodiscard]] bool is_turn(const Path& lock) const;
  Figures& of(const Path& lock);
  Figures& of(const GrantRecord& grant);
  // The figures of the lock to which a contender's znode belongs.
  Figures& of_contender(const Path& znode);
  // The wait for the grant; none if no wait was reported.
  std::optional<Ended> waited_for(const GrantRecord& grant);
  void turn_ended(const GrantRecord& grant);
  void began(Since& since, const Known& known);
  // Removes an entry from the table; none if there is no such entry.
  std::optional<Ended> ended(Since& since, const Known& known);
  // The end of the wait in a place, whose name is its own.
  std::optional<Ended> wait_ended(SessionId session, const Path& znode);
  void grant_ended(const GrantRecord& grant);

  const Executor* executor_ = nullptr;  // set by the first session
  std::map<std::string, Figures> locks_;
  std::map<std::string, Part> parts_;
  std::map<std::pair<SessionId, std::string>, Path> turns_;  // The place whose turn it is, by lock.
  Since waiting_since_;
  Since held_since_;
  Counts requests_;
  std::map<std::string_view, Counts> errors_;
  Counts states_;
  std::uint64_t ambiguous_creates_ = 0;
  std::uint64_t orphan_deletes_ = 0;
  Counts orphans_left_;
};

}  // namespace lockstep
