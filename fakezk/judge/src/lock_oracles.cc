#include "lockstep/judge/lock_oracles.h"

#include <algorithm>
#include <utility>

#include "lockstep/judge/assertions.h"

namespace lockstep::judge {

using search::Oracle;

namespace {

// Whether one has taken the other's place over: a downgraded reader has its writer's number.
bool is_same_place(const ContenderLife& a, const ContenderLife& b) {
  return a.lock == b.lock && a.owner == b.owner && a.contender.number == b.contender.number;
}

// More places in one acquire are a livelock. A few can be taken after faults.
constexpr std::uint32_t kMostPlaces = 16;

// Completes "the grant of that znode ...", if the grant's record contradicts the znode. Grants are
// compared with each other by their records.
std::string_view wrong_in(const GrantRecord& grant, const ContenderLife& own,
                          const LockRules& rules) {
  const std::string_view lock = grant.lock.view();
  const std::string_view znode = grant.znode.view();
  const bool below = znode.size() > lock.size() && znode.starts_with(lock) &&
                     (lock.ends_with('/') || znode[lock.size()] == '/');
  if (!below) return "was granted for a lock in which it has no place";
  if (own.lease) {
    return grant.share == Share::kShared ? ""
                                         : "was granted as exclusive, but its znode is a lease";
  }
  if (!rules.single.empty()) {
    return grant.share == Share::kShared ? "was granted as shared, but its znode is the whole lock"
                                         : "";
  }
  if (grant.share == own.contender.share) return {};
  return grant.share == Share::kShared ? "was granted as shared, but its mark is exclusive"
                                       : "was granted as exclusive, but its mark is shared";
}

}  // namespace

void LockOracles::begin(fakezk::World& world, search::Verdict& verdict) {
  world_ = &world;
  verdict_ = &verdict;
  judged_ = {};
  grants_.clear();
  locks_.clear();
  late_grants_.clear();
  acquiring_.clear();
  places_.clear();
  process_of_.clear();
  lives_.begin(world.server().path_table());
  looks_.clear();
}

void LockOracles::end() {
  if (until_end_) *std::exchange(until_end_, nullptr) = nullptr;
  verdict_ = nullptr;
}

void LockOracles::tell_end(LockOracles*& judge) {
  judge = this;
  until_end_ = &judge;
}

void LockOracles::makes_grants_of(const Path& lock) {
  if (std::ranges::find(locks_, lock) == locks_.end()) locks_.push_back(lock);
}

void LockOracles::acquiring(SessionId session, std::uint32_t process,
                            std::optional<TimePoint> deadline, std::uint32_t user) {
  acquiring_.push_back({session, process, deadline, user, world_->server().last_zxid()});
  std::erase_if(places_,
                [&](const PlacesInLock& of) { return of.session == session && of.user == user; });
  process_of_.emplace_back(session, process);
}

std::vector<LockOracles::Acquire>::iterator LockOracles::find_acquire(SessionId session,
                                                                      std::uint32_t user) {
  return std::ranges::find_if(acquiring_, [&](const Acquire& acquire) {
    return acquire.session == session && acquire.user == user;
  });
}

bool LockOracles::is_held(const Life& life) const {
  return std::ranges::any_of(grants_, [&](const Grant& grant) {
    const Life* const other = life_of(grant);
    return grant.held() && other && is_same_place(*other, life);
  });
}

bool LockOracles::has_met(SessionId session, std::uint32_t user, Others others) {
  // Every contender's request matters, of whatever lock.
  if (fakezk::FootprintRecorder* const recorder = world_->recorder()) {
    recorder->touches_everything();
  }
  follow_server();
  const auto acquire = find_acquire(session, user);
  if (acquire == acquiring_.end()) return true;
  return std::ranges::any_of(lives_, [&](const Life& life) {
    if (life.gone_at(acquire->began)) return false;
    if (others == Others::kExclusive && life.contender.share == Share::kShared) return false;
    return life.owner != session || (life.created <= acquire->began && !is_held(life));
  });
}

bool LockOracles::has_waited(SessionId session) const {
  return std::ranges::any_of(acquiring_, [&](const Acquire& acquire) {
    return acquire.session == session && acquire.waits;
  });
}

void LockOracles::crashed(std::uint32_t process) {
  record_memory_write();
  std::erase_if(acquiring_, [&](const Acquire& acquire) { return acquire.process == process; });
  for (Grant& grant : grants_) {
    const Life* const life = life_of(grant);
    if (life && process_of(life->owner) == process) grant.given_back = true;
  }
}

void LockOracles::ended(std::uint32_t process, std::uint32_t user) {
  std::erase_if(acquiring_, [&](const Acquire& acquire) {
    return acquire.process == process && acquire.user == user;
  });
}

void LockOracles::finished(std::uint32_t process) {
  const auto open = std::ranges::find(acquiring_, process, &Acquire::process);
  if (open != acquiring_.end()) report_unresolved(open->session);
}

void LockOracles::place_reserved(SessionId session, const Path& lock, const Path& znode) {
  if (world_->traced()) tell_place(session, znode);
  // Among the users of one session, the place belongs to the one that has taken the fewest.
  Acquire* pending = nullptr;
  for (Acquire& acquire : acquiring_) {
    if (acquire.session != session) continue;
    if (!pending || acquire.places < pending->places) pending = &acquire;
  }
  if (!pending) return;
  ++pending->places;
  // An acquire of several locks takes a place in each.
  const fakezk::PathId in = world_->servers().paths().intern(lock.text());
  auto count = std::ranges::find_if(places_, [&](const PlacesInLock& known) {
    return known.session == session && known.user == pending->user && known.lock == in;
  });
  if (count == places_.end()) {
    count = places_.insert(places_.end(), {session, pending->user, in, 0});
  }
  if (++count->places > kMostPlaces) report_places(session, count->places, znode);
}

// Whether it is what `grant` continues. After a downgrade, the writer may not have been deleted
// yet.
inline bool LockOracles::is_continued(const Life& other, const GrantRecord& grant) const {
  if (grant.continues.view().empty() || other.owner != grant.session) return false;
  // Whatever the mark is, the number stands at the end.
  return sequence_number(grant.continues.view(), std::string_view()) == other.contender.number;
}

inline const LockOracles::Life* LockOracles::own_life(const GrantRecord& grant) {
  const Life* const own = lives_.find(grant.znode, grant.created);
  if (!own) report_never_created(grant);
  return own;
}

// At the evidence, every contender in front that conflicts must have gone, except for as many as
// may hold together with this one.
inline void LockOracles::check_who_is_in_front(const GrantRecord& grant, const Life& own) {
  std::uint32_t together = 1;
  for (const Life& other : lives_) {
    if (other.created > grant.evidence) break;
    if (other.lock != own.lock || !blocks(other.contender, own.contender)) continue;
    if (other.gone_at(grant.evidence)) continue;
    if (is_continued(other, grant)) continue;
    if (++together > rules_.holders) report_in_front(grant, other);
  }
}

void LockOracles::check_leases(const GrantRecord& grant, const Life& own) {
  std::uint32_t leases = 0;
  for (const Life& other : lives_) {
    if (other.created > grant.evidence) break;
    if (!other.lease || !is_of_one_lock(other.lock, own.lock)) continue;
    if (!other.gone_at(grant.evidence)) ++leases;
  }
  if (leases > rules_.capacity) report_leases(grant, leases);
}

// A grant that has changed holds without a gap: the one before was there when it took over.
void LockOracles::check_continued(const GrantRecord& grant) {
  const Life* const before = continued_life(grant);
  if (!before) return;
  world_->note_existence(before->znode);
  if (before->gone_at(grant.evidence)) report_continued(grant);
}

// That of the last grant by this name, which may have been used before; if none was reported, the
// last life.
const LockOracles::Life* LockOracles::continued_life(const GrantRecord& grant) const {
  for (std::size_t index = grants_.size(); index-- > 0;) {
    if (is(grants_[index].znode, grant.continues)) return life_of(grants_[index]);
  }
  for (std::size_t index = lives_.size(); index-- > 0;) {
    if (is(lives_[index].znode, grant.continues)) return &lives_[index];
  }
  return nullptr;
}

[[gnu::always_inline]] inline void LockOracles::check_evidence(const GrantRecord& grant,
                                                               const Life& own) {
  if (own.owner != grant.session) {
    report(Oracle::kS1, grant, "belongs to another session than its holder's");
  }
  world_->note_existence(own.znode);
  if (own.deleted != 0 && own.deleted_by == own.owner) {
    report(Oracle::kS4, grant, "was granted after its own session had deleted it");
  }
  if (own.created > grant.evidence || own.gone_at(grant.evidence)) {
    report_evidence(grant);
  }
  if (!grant.continues.view().empty()) check_continued(grant);
  return own.lease ? check_leases(grant, own) : check_who_is_in_front(grant, own);
}

// Tokens follow the order of the evidence: a client may learn late of a grant that became true, and
// ended, on the server long ago. A downgrade continues a grant with the same token.
inline void LockOracles::check_order(const GrantRecord& grant, const Grant& earlier) {
  count(Oracle::kL2);
  const bool in_order = earlier.evidence <= grant.evidence;
  const Zxid first = in_order ? earlier.token : grant.token;
  const Zxid second = in_order ? grant.token : earlier.token;
  const Share later = in_order ? grant.share : earlier.share;
  if (later == Share::kExclusive) count(Oracle::kS3);
  if (first < second || (first == second && later == Share::kShared)) return;
  report_order(first, second, later);
}

// Whether both may have been held at one time by different holders.
inline bool LockOracles::may_overlap(const GrantRecord& grant, const Life& own,
                                     const Grant& earlier) const {
  const Life* const life = life_of(earlier);
  if (life && is_continued(*life, grant)) return false;
  const bool forgotten = own.forgotten || (life && life->forgotten);
  if (forgotten) return earlier.held();
  const bool over = life && life->gone_at(grant.evidence);
  const bool we_were_over = own.gone_at(earlier.evidence);
  return !over && !we_were_over;
}

[[gnu::always_inline]] inline void LockOracles::check_earlier_grants(const GrantRecord& grant,
                                                                     const Life& own) {
  for (const Grant& earlier : grants_) {
    if (!is_of_one_lock(earlier.lock, own.lock)) continue;
    if (earlier.created == grant.created && earlier.znode == own.znode) {
      report(Oracle::kS1, grant, "was granted twice");
      continue;
    }
    if (earlier.share == Share::kShared && grant.share == Share::kShared) continue;
    // check_evidence() has counted the leases, and judged who is in front of several holders.
    const Life* const life = life_of(earlier);
    if (own.lease || (life && life->lease) || rules_.holders > 1) continue;
    if (may_overlap(grant, own, earlier)) report_overlap(grant, earlier);
    if (earlier.lock == own.lock) check_order(grant, earlier);
    if (earlier.by_own_clock()) count(Oracle::kS2);
    if (!earlier.held() || is(earlier.znode, grant.continues)) continue;
    if (life) check_told(earlier, *life, grant.znode);
    if (own.deleted != 0) remember_late_grant(Path(world_->server().paths().text(earlier.znode)));
  }
}

// `now_granted` is reported while the holder of `dead` still believes in a grant, which the server
// may have ended.
void LockOracles::check_told(const Grant& dead, const Life& life, const Path& now_granted) {
  if (!dead.by_own_clock()) return;
  world_->note_existence(life.znode);
  if (life.deleted == 0) return;
  if (life.deleted_by == life.owner) return check_own_deletion(dead);
  report_untold(dead, life, now_granted);
}

void LockOracles::check_own_deletion(const Grant& grant) {
  const Life* const life = life_of(grant);
  if (!life || !grant.held()) return;
  world_->note_existence(life->znode);
  if (life->deleted == 0 || life->deleted_by != life->owner) return;
  report(Oracle::kS4,
         std::string(text(grant.znode)) + " was deleted by its own session while it was held");
}

// A grant that rests on a deletion. Its client has only seen the watch event, which carries no
// zxid, so the transaction is looked up in the history of the servers.
void LockOracles::granted_after_deletion(const GrantRecord& grant) {
  if (const auto znode = world_->server().paths().find(grant.after.text())) {
    world_->note_existence(*znode);
  }
  const Zxid deleted = lives_.deleted_after(grant.evidence, grant.after);
  if (deleted == 0) return report_not_deleted(grant);
  GrantRecord found = grant;
  found.evidence = deleted;
  judge_grant(found);
}

void LockOracles::granted(const GrantRecord& grant) {
  record_memory_write();
  follow_server();
  check_late_grants();
  if (world_->traced()) tell_granted(grant);
  return grant.after.view().empty() ? judge_grant(grant) : granted_after_deletion(grant);
}

void LockOracles::judge_grant(const GrantRecord& grant) {
  count_grant(grant);
  const Life* const own = own_life(grant);
  if (own) {
    const std::string_view wrong = wrong_in(grant, *own, rules_);
    if (!wrong.empty()) report(Oracle::kMisuse, grant, wrong);
    const auto places = std::ranges::count(looks_, lives_.index_of(*own), &Looks::life);
    // The wake that led to this grant was useful.
    if (places > 0 && wakes_one(*own)) count(Oracle::kL3);
    check_evidence(grant, *own);
    check_earlier_grants(grant, *own);
    if (own->lease || rules_.holders > 1) check_number_of_holders(grant, *own);
  }
  // Grants of one queue are compared, whichever of its ancestors they call their lock.
  fakezk::PathTable& paths = world_->servers().paths();
  const fakezk::PathId lock = own ? own->lock : paths.intern(grant.lock.text());
  const fakezk::PathId znode = own ? own->znode : paths.intern(grant.znode.text());
  grants_.emplace_back(lock, znode, grant.token, grant.created, grant.evidence, grant.share,
                       own ? lives_.index_of(*own) : kNoLife, grant.loss);
}

void LockOracles::gave_up(SessionId session, const Path&, Error error) {
  follow_server();
  if (world_->traced()) note(session, "gives up: " + std::string(name(error)));
}

// The judgement goes by what the holder that hands the lock on knows.
void LockOracles::handed_on(const GrantRecord& grant, std::uint32_t holder) {
  if (world_->traced()) tell_handed_on(grant, holder);
  count(Oracle::kS4);
  const Grant* const known = find(grant);
  if (!known) return report(Oracle::kS4, grant, "was handed on without having been granted");
  if (!known->held()) {
    report(Oracle::kS4, grant, "was handed on after it had ended");
  } else if (known->suspect) {
    report(Oracle::kS4, grant, "was handed on although its holder was no longer sure of it");
  }
}

void LockOracles::suspected(const GrantRecord& grant) {
  if (Grant* const known = find(grant)) known->suspect = true;
}

void LockOracles::held_again(const GrantRecord& grant) {
  if (Grant* const known = find(grant)) known->suspect = false;
}

void LockOracles::lost(const GrantRecord& grant, Error cause) {
  follow_server();
  check_late_grants();
  if (world_->traced()) tell_lost(grant, cause);
  Grant* const known = find(grant);
  count(Oracle::kR1);
  if (!known) return report(Oracle::kR1, grant, "was lost without having been granted");
  if (known->given_back) report(Oracle::kR1, grant, "was reported lost after its release");
  if (known->by_own_clock()) check_own_deletion(*known);
  if (known->held()) record_memory_read();
  known->lost_before_release |= !known->releasing;
  known->lost_with_session |= session_is_over(cause);
  if (++known->losses > 1) report(Oracle::kR1, grant, "was reported lost twice");
}

void LockOracles::releasing(const GrantRecord& grant) {
  follow_server();
  check_late_grants();
  Grant* const known = find(grant);
  if (!known) return;
  check_own_deletion(*known);
  if (known->held()) record_memory_read();
  known->releasing = true;
}

// Also called when the holder's process crashes, and after the end of an execution.
void LockOracles::dropped(const GrantRecord& grant) {
  if (!verdict_) return;
  check_late_grants();
  Grant* const known = find(grant);
  if (!known) return;
  if (known->held()) record_memory_read();
  known->given_back = true;
}

bool LockOracles::has_heard_of(const Path& znode, Zxid token) {
  record_memory_write();
  return std::ranges::any_of(
      grants_, [&](const Grant& grant) { return grant.token == token && is(grant.znode, znode); });
}

void LockOracles::check_orphans() {
  follow_server();
  // Nothing follows that could tell a holder.
  for (LateGrant& late : late_grants_) late.at = TimePoint::min();
  check_late_grants();
  for (const Grant& grant : grants_) {
    if (grant.by_own_clock()) check_own_deletion(grant);
  }
  for (const Life& life : lives_) {
    const bool is_there = life.deleted == 0 && world_->server().session_alive(life.owner);
    if (is_there && still_in_use(life)) continue;
    count(Oracle::kS5);
    if (!is_there) continue;
    report(Oracle::kS5, std::string(text(life.znode)) +
                            " is still there, but no client holds it or waits for it");
  }
}

bool LockOracles::still_in_use(const Life& life) const {
  if (std::ranges::find(acquiring_, life.owner, &Acquire::session) != acquiring_.end()) {
    return true;
  }
  return std::ranges::any_of(grants_, [&](const Grant& grant) {
    return life_of(grant) == &life && !grant.given_back && grant.losses == 0;
  });
}

void LockOracles::deleted(const fakezk::Change& change, const Life& life) {
  const bool by_servers = change.actor == 0 || life.forgotten;
  if (by_servers) return;
  count(Oracle::kS4);
  if (change.actor != fakezk::kOperator && change.actor != change.owner) report_theft(change);
}

// For reports of grants: these are compared with each other, so their order may matter. All other
// reports concern a single grant and its process.
void LockOracles::record_memory_write() {
  if (fakezk::FootprintRecorder* const recorder = world_->recorder()) {
    recorder->writes(fakezk::ObjectKind::kOracle);
  }
}

// For reports that a holder stops holding: they commute with each other, but not with a new grant,
// whose judgement depends on them.
void LockOracles::record_memory_read() {
  if (fakezk::FootprintRecorder* const recorder = world_->recorder()) {
    recorder->reads(fakezk::ObjectKind::kOracle);
  }
}

LockOracles::Grant* LockOracles::find(const GrantRecord& grant) {
  for (Grant& known : grants_) {
    if (known.created == grant.created && is(known.znode, grant.znode)) return &known;
  }
  return nullptr;
}

}  // namespace lockstep::judge
