#include "lockstep/fakezk/oracles/lock_oracles.h"

#include <algorithm>
#include <utility>

#include "lockstep/fakezk/oracles/assertions.h"
#include "lockstep/sequence.h"
#include "session_name.h"

namespace lockstep::fakezk {

namespace {

// More looks at an unchanged queue are a livelock. A few are the trace of a replica that lags.
constexpr std::uint32_t kMostIdleLooks = 12;
// So are more places in one acquire. A few are taken after faults.
constexpr std::uint32_t kMostPlaces = 16;

}  // namespace

void LockOracles::begin(World& world, Verdict& verdict) {
  world_ = &world;
  verdict_ = &verdict;
  grants_.clear();
  acquiring_.clear();
  process_of_.clear();
  lives_.clear();
  followed_ = 0;
  changes_.clear();
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

void LockOracles::acquiring(SessionId session, std::uint32_t process,
                            std::optional<TimePoint> deadline) {
  acquiring_.push_back({session, deadline});
  process_of_.emplace_back(session, process);
}

void LockOracles::resolved(SessionId session) {
  const auto pending = std::ranges::find(acquiring_, session, &Acquire::session);
  if (pending == acquiring_.end()) return;
  const TimePoint now = now_of(session);
  if (pending->deadline && now > *pending->deadline + World::kPassedOver) {
    const auto late =
        std::chrono::duration_cast<std::chrono::milliseconds>(now - *pending->deadline);
    report("L4", "an acquire of " + who(session) + " resolved " + std::to_string(late.count()) +
                     " ms after its deadline");
  }
  acquiring_.erase(pending);
}

// By the clock that its deadline was told by.
TimePoint LockOracles::now_of(SessionId session) const {
  const auto known =
      std::ranges::find(process_of_, session, &std::pair<SessionId, std::uint32_t>::first);
  return known == process_of_.end() ? world_->now() : world_->process(known->second).now();
}

void LockOracles::crashed(std::uint32_t process) {
  remembers();
  std::erase_if(acquiring_, [&](const Acquire& acquire) {
    const std::pair started(acquire.session, process);
    return std::ranges::find(process_of_, started) != process_of_.end();
  });
}

void LockOracles::released_again(const Path& znode, ReleaseOutcome first, ReleaseOutcome second) {
  if (first == second) return;
  report("R2", znode.string() + " was released as '" + std::string(name(first)) +
                   "' and, when asked again, as '" + std::string(name(second)) + "'");
}

void LockOracles::place_reserved(SessionId session, const Path&, const Path& znode) {
  if (world_->traced()) note(session, "has its place " + znode.string());
  const auto pending = std::ranges::find(acquiring_, session, &Acquire::session);
  if (pending == acquiring_.end() || ++pending->places <= kMostPlaces) return;
  report("livelock", "one acquire of " + who(session) + " has taken " +
                         std::to_string(pending->places) + " places in the queue, " +
                         znode.string() + " the last");
}

void LockOracles::waiting(SessionId session, const Path& znode, std::size_t) {
  if (world_->recorder()) return;
  follow_server();
  const Life* const life = living(znode);
  if (!life) return;
  Looks& looks = looks_of(session, static_cast<std::size_t>(life - lives_.data()));
  const Zxid applied = world_->server().last_zxid_for(session);
  const std::size_t changes = changes_until(applied);
  const bool again = looks.last != 0;
  if (again) judge_look(looks, changes);
  looks.before = again ? looks.last : life->created;
  looks.last = applied;
  looks.changes = changes;
}

// What it has for a place that has gone is used for the next one.
LockOracles::Looks& LockOracles::looks_of(SessionId session, std::size_t life) {
  Looks* stale = nullptr;
  for (Looks& looks : looks_) {
    if (looks.session != session) continue;
    if (looks.life == life) return looks;
    if (lives_[looks.life].deleted != 0) stale = &looks;
  }
  const Looks fresh{.session = session, .life = life};
  return stale ? *stale = fresh : looks_.emplace_back(fresh);
}

std::size_t LockOracles::changes_until(Zxid applied) const {
  std::size_t count = changes_.size();
  while (count > 0 && changes_[count - 1] > applied) --count;
  return count;
}

void LockOracles::judge_look(Looks& looks, std::size_t changes) {
  const Life& own = lives_[looks.life];
  if (looks.changes != changes) {
    looks.idle = 0;
    if (!asserted("L3", rules_, *world_) || !woken_in_vain(own, looks.before)) return;
    report("L3", std::string(text(own.znode)) +
                     " was woken although the one right in front of it is still there");
  } else if (++looks.idle > kMostIdleLooks) {
    report("livelock", who(looks.session) + " has looked at the queue for " +
                           std::string(text(own.znode)) + ' ' + std::to_string(looks.idle) +
                           " times although nothing has changed");
  }
}

// The list that it went by was made after the look before the last. Whoever lives in front of it
// now was the nearest on that list too, if all those between had been deleted by then, on the
// server that made it.
bool LockOracles::woken_in_vain(const Life& own, Zxid look_before) const {
  const Life* nearest = nullptr;
  for (const Life& other : lives_) {
    if (other.lock != own.lock || !blocks(other.contender, own.contender)) continue;
    if (other.touched > look_before) return false;  // Woken by a revocation, maybe.
    if (other.owner == own.owner) continue;         // An upgrade does not wait for its own reader.
    if (other.deleted != 0 && other.deleted <= look_before) continue;
    if (!nearest || precedes(nearest->contender.number, other.contender.number)) nearest = &other;
  }
  return nearest && nearest->deleted == 0;
}

void LockOracles::granted(const GrantRecord& grant) {
  remembers();
  follow_server();
  if (world_->traced()) {
    tell_grant(grant, &World::grant_begins);
    note(grant.session, "HOLDS " + grant.znode.string() + ", token " + std::to_string(grant.token));
  }
  const Life* const own = own_life(grant);
  if (own) {
    check_evidence(grant, *own);
    check_earlier_grants(grant, *own);
  }
  grants_.push_back({.lock = grant.lock,
                     .znode = grant.znode,
                     .token = grant.token,
                     .created = grant.created,
                     .evidence = grant.evidence,
                     .share = grant.share,
                     .life = own ? static_cast<std::size_t>(own - lives_.data()) : kNoLife});
}

const LockOracles::Life* LockOracles::own_life(const GrantRecord& grant) {
  const Life* const own = life_of(grant.znode, grant.created);
  if (!own) {
    report("S1", grant.znode.string() + " was granted, but was never created as zxid " +
                     std::to_string(grant.created));
  }
  return own;
}

void LockOracles::check_evidence(const GrantRecord& grant, const Life& own) {
  if (own.owner != grant.session) {
    report("S1", grant.znode.string() + " belongs to another session than its holder's");
  }
  static_cast<void>(world_->server().tree().find(own.znode));  // Whether it is there now matters.
  if (own.deleted != 0 && own.deleted_by == own.owner) {
    report("S4", grant.znode.string() + " was granted after its own session had deleted it");
  }
  if (own.created > grant.evidence || (own.deleted != 0 && own.deleted <= grant.evidence)) {
    report("S1", grant.znode.string() + " did not exist at zxid " + std::to_string(grant.evidence) +
                     ", on which its grant rests");
  }
  return own.lease ? check_leases(grant, own) : check_who_is_in_front(grant, own);
}

// Whoever was created by then, with a lower number, and may not hold beside it, must have gone.
void LockOracles::check_who_is_in_front(const GrantRecord& grant, const Life& own) {
  for (const Life& other : lives_) {
    if (other.created > grant.evidence) break;
    if (other.lock != own.lock || !blocks(other.contender, own.contender)) continue;
    if (other.deleted != 0 && other.deleted <= grant.evidence) continue;
    if (text(other.znode) == grant.continues.view()) continue;
    report("S1", grant.znode.string() + " was granted while " + std::string(text(other.znode)) +
                     " was in front of it");
  }
}

void LockOracles::check_leases(const GrantRecord& grant, const Life& own) {
  std::uint32_t leases = 0;
  for (const Life& other : lives_) {
    if (other.created > grant.evidence) break;
    if (!other.lease || other.lock != own.lock) continue;
    if (other.deleted == 0 || other.deleted > grant.evidence) ++leases;
  }
  if (leases <= rules_.capacity) return;
  report("S1", grant.znode.string() + " was granted as one of " + std::to_string(leases) +
                   " leases, of which there may be " + std::to_string(rules_.capacity));
}

void LockOracles::check_earlier_grants(const GrantRecord& grant, const Life& own) {
  for (const Grant& earlier : grants_) {
    if (earlier.lock != grant.lock) continue;
    if (earlier.znode == grant.znode && earlier.created == grant.created) {
      report("S1", grant.znode.string() + " was granted twice");
      continue;
    }
    const bool together = earlier.share == Share::kShared && grant.share == Share::kShared;
    const bool continues = earlier.znode == grant.continues;
    if (!together && !continues) {
      const Life* const life = life_of(earlier);
      const bool over = life && life->deleted != 0 && life->deleted <= grant.evidence;
      const bool we_were_over = own.deleted != 0 && own.deleted <= earlier.evidence;
      if (!over && !we_were_over) {
        report("S1", earlier.znode.string() + " and " + grant.znode.string() +
                         " were granted at the same time");
      }
    }
    if (!together) check_order(grant, earlier);
  }
}

// In the order of their evidence: a client may learn late of a grant that was long true, and over,
// on the server. A grant that goes on from another keeps its token when it is downgraded.
void LockOracles::check_order(const GrantRecord& grant, const Grant& earlier) {
  const bool in_order = earlier.evidence <= grant.evidence;
  const Zxid first = in_order ? earlier.token : grant.token;
  const Zxid second = in_order ? grant.token : earlier.token;
  const Share later = in_order ? grant.share : earlier.share;
  if (first < second || (first == second && later == Share::kShared)) return;
  if (later == Share::kExclusive) {
    report("S3",
           "token " + std::to_string(second) + " was granted after token " + std::to_string(first));
  }
  report("L2", "the contender created as zxid " + std::to_string(second) +
                   " was granted after the one created as zxid " + std::to_string(first));
}

void LockOracles::gave_up(SessionId session, const Path&, Error error) {
  follow_server();
  if (world_->traced()) note(session, "gives up: " + std::string(name(error)));
}

void LockOracles::lost(const GrantRecord& grant, Error cause) {
  follow_server();
  if (world_->traced()) {
    tell_grant(grant, &World::grant_ends);
    note(grant.session, "LOST " + grant.znode.string() + ": " + std::string(name(cause)));
  }
  Grant* const known = find(grant);
  if (!known) return report("R1", grant.znode.string() + " was lost without having been granted");
  if (known->given_back) {
    report("R1", grant.znode.string() + " was reported lost after its release");
  }
  if (++known->losses > 1) report("R1", grant.znode.string() + " was reported lost twice");
}

void LockOracles::released(const GrantRecord& grant, ReleaseOutcome outcome) {
  follow_server();
  if (world_->traced()) {
    tell_grant(grant, &World::grant_ends);
    note(grant.session, "release: " + std::string(name(outcome)));
  }
  Grant* const known = find(grant);
  if (known) known->given_back = true;
  const Life* const life = known ? life_of(*known) : life_of(grant.znode, grant.created);
  // Whether it is there now matters.
  if (life) static_cast<void>(world_->server().tree().find(life->znode));
  if (outcome == ReleaseOutcome::kReleased && life && life->deleted == 0) {
    report("R2", grant.znode.string() + " was released, but still exists");
  }
  // What an operator has deleted looks, after a lost reply, like a deletion of ours.
  const bool by_operator = (world_->kinds_injected() & bit(FaultKind::kForeignDelete)) != 0;
  if (outcome == ReleaseOutcome::kReleased && life && life->deleted != 0 && life->deleted_by == 0 &&
      !by_operator) {
    report("R2", grant.znode.string() + " was 'released', but had been lost with its session");
  }
}

bool LockOracles::has_heard_of(const Path& znode) {
  remembers();
  return std::ranges::find(grants_, znode, &Grant::znode) != grants_.end();
}

void LockOracles::check_orphans() {
  follow_server();
  for (const Life& life : lives_) {
    if (life.deleted != 0 || !world_->server().session_alive(life.owner)) continue;
    if (still_in_use(life)) continue;
    report("S5",
           std::string(text(life.znode)) + " is still there, but nobody holds it or waits for it");
  }
}

bool LockOracles::still_in_use(const Life& life) const {
  if (std::ranges::find(acquiring_, life.owner, &Acquire::session) != acquiring_.end()) {
    return true;
  }
  return std::ranges::any_of(grants_, [&](const Grant& grant) {
    return grant.created == life.created && !grant.given_back && grant.losses == 0;
  });
}

void LockOracles::follow_server() {
  const History& history = world_->server().history();
  for (; followed_ < history.size(); ++followed_) {
    const Change& change = history[followed_];
    if (change.owner == 0) continue;  // Contenders are ephemeral.
    if (change.kind == Change::Kind::kCreated) created(change);
    if (change.kind == Change::Kind::kDeleted) deleted(change);
    if (change.kind == Change::Kind::kDataSet) touched(change);
  }
}

void LockOracles::created(const Change& change) {
  const PathTable& paths = world_->server().paths();
  const std::string_view name = paths.name(change.path);
  std::optional<Contender> known = contender(name, rules_.marks);
  bool lease = false;
  if (!known && !rules_.single.empty() && name == rules_.single) {
    known = Contender{0, Share::kExclusive};
  } else if (!known && !rules_.lease.empty()) {
    const auto number = sequence_number(name, rules_.lease);
    if (!number) return;
    known = Contender{*number, Share::kShared};
    lease = true;
  }
  if (!known) return;
  changes_.push_back(change.zxid);
  lives_.push_back({.znode = change.path,
                    .lock = paths.parent(change.path),
                    .contender = *known,
                    .lease = lease,
                    .created = change.zxid,
                    .owner = change.owner});
}

void LockOracles::deleted(const Change& change) {
  for (Life& life : lives_) {
    if (life.znode != change.path || life.deleted != 0) continue;
    life.deleted = change.zxid;
    life.deleted_by = change.actor;
    changes_.push_back(change.zxid);
    if (change.actor != 0 && change.actor != kOperator && change.actor != change.owner) {
      report("S4", std::string(text(change.path)) + " was deleted by " + who(change.actor) +
                       ", in a session that does not own it");
    }
  }
}

void LockOracles::touched(const Change& change) {
  for (Life& life : lives_) {
    if (life.znode == change.path && life.deleted == 0) life.touched = change.zxid;
  }
}

// A name may be used again, after its parent has been re-created: each life is another contender.
const LockOracles::Life* LockOracles::life_of(const Path& znode, Zxid created) const {
  const std::optional<PathId> id = world_->server().paths().find(znode.text());
  if (!id) return nullptr;
  for (const Life& life : lives_) {
    if (life.znode == *id && life.created == created) return &life;
  }
  return nullptr;
}

const LockOracles::Life* LockOracles::life_of(const Grant& grant) const {
  return grant.life == kNoLife ? nullptr : &lives_[grant.life];
}

const LockOracles::Life* LockOracles::living(const Path& znode) const {
  const std::optional<PathId> id = world_->server().paths().find(znode.text());
  if (!id) return nullptr;
  const auto found = std::ranges::find_if(
      lives_, [&](const Life& life) { return life.znode == *id && life.deleted == 0; });
  return found == lives_.end() ? nullptr : &*found;
}

std::string_view LockOracles::text(PathId znode) const {
  return world_->server().paths().text(znode).view();
}

// Grants are compared with each other: which of two was heard of first may make a difference. The
// rest concerns one grant only, and its process.
void LockOracles::remembers() {
  if (FootprintRecorder* const recorder = world_->recorder()) {
    recorder->writes(ObjectKind::kOracle);
  }
}

LockOracles::Grant* LockOracles::find(const GrantRecord& grant) {
  for (Grant& known : grants_) {
    if (known.znode == grant.znode && known.created == grant.created) return &known;
  }
  return nullptr;
}

void LockOracles::report(std::string_view oracle, std::string message) {
  if (!asserted(oracle, rules_, *world_)) return;
  verdict_->report(oracle, std::move(message), world_->steps());
}

std::optional<std::uint32_t> LockOracles::process_of(SessionId session) const {
  const auto known =
      std::ranges::find(process_of_, session, &std::pair<SessionId, std::uint32_t>::first);
  if (known == process_of_.end()) return std::nullopt;
  return known->second;
}

std::string LockOracles::who(SessionId session) const {
  const auto process = process_of(session);
  return process ? world_->process_name(*process) : session_name(session);
}

void LockOracles::tell_grant(const GrantRecord& grant,
                             void (World::*what)(std::uint32_t, const Path&)) {
  if (const auto process = process_of(grant.session)) (world_->*what)(*process, grant.znode);
}

void LockOracles::note(SessionId session, std::string_view text) {
  if (const auto process = process_of(session)) world_->note(*process, text);
}

}  // namespace lockstep::fakezk
