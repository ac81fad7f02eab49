#include "lockstep/fakezk/oracles/lock_oracles.h"

#include <algorithm>

#include "lockstep/sequence.h"

namespace lockstep::fakezk {

void LockOracles::begin(World& world, Verdict& verdict) {
  world_ = &world;
  verdict_ = &verdict;
  grants_.clear();
  acquiring_.clear();
  process_of_.clear();
  locks_.clear();
  deletions_checked_ = 0;
}

void LockOracles::acquiring(SessionId session, std::uint32_t process) {
  acquiring_.push_back(session);
  process_of_.emplace_back(session, process);
}

void LockOracles::released_again(const Path& znode, ReleaseOutcome first, ReleaseOutcome second) {
  if (first == second) return;
  report("R2", znode.string() + " was released as '" + std::string(name(first)) +
                   "' and, when asked again, as '" + std::string(name(second)) + "'");
}

void LockOracles::place_reserved(SessionId session, const Path& lock, const Path& znode) {
  if (std::ranges::find(locks_, lock) == locks_.end()) locks_.push_back(lock);
  if (world_->traced()) note(session, "has its place " + znode.string());
}

void LockOracles::granted(const GrantRecord& grant) {
  std::erase(acquiring_, grant.session);
  if (world_->traced()) {
    note(grant.session, "HOLDS " + grant.znode.string() + ", token " + std::to_string(grant.token));
  }
  const std::optional<Life> own = life_of(grant.znode);
  if (!own || own->created != grant.token) {
    report("S1", grant.znode.string() + " was granted, but was never created as zxid " +
                     std::to_string(grant.token));
  } else {
    check_evidence(grant, *own);
    check_earlier_grants(grant, *own);
  }
  check_deletions();
  grants_.push_back(
      {grant.lock, grant.znode, grant.token, grant.evidence, grant.session, 0, false});
}

void LockOracles::check_evidence(const GrantRecord& grant, const Life& own) {
  if (own.owner != grant.session) {
    report("S1", grant.znode.string() + " belongs to another session than its holder's");
  }
  if (own.created > grant.evidence || (own.deleted != 0 && own.deleted <= grant.evidence)) {
    report("S1", grant.znode.string() + " did not exist at zxid " + std::to_string(grant.evidence) +
                     ", on which its grant rests");
  }
  const auto our_number = sequence_number(grant.znode.name(), mark_);
  // Whoever was created earlier, with a lower number, must have gone by then.
  for (const Change& change : world_->server().history()) {
    if (change.kind != Change::Kind::kCreated || change.zxid > grant.evidence) continue;
    if (!is_contender(grant.lock, change.path)) continue;
    const Path other = world_->server().paths().path(change.path);
    const auto number = sequence_number(other.name(), mark_);
    if (!our_number || !number || !precedes(*number, *our_number)) continue;
    const std::optional<Life> life = life_of(other);
    if (life && (life->deleted == 0 || life->deleted > grant.evidence)) {
      report("S1",
             grant.znode.string() + " was granted while " + other.string() + " was in front of it");
    }
  }
}

void LockOracles::check_earlier_grants(const GrantRecord& grant, const Life& own) {
  for (const Grant& earlier : grants_) {
    if (earlier.lock != grant.lock) continue;
    if (earlier.znode == grant.znode && earlier.token == grant.token) {
      report("S1", grant.znode.string() + " was granted twice");
      continue;
    }
    const std::optional<Life> life = life_of(earlier.znode);
    const bool over = life && life->deleted != 0 && life->deleted <= grant.evidence;
    const bool we_were_over = own.deleted != 0 && own.deleted <= earlier.evidence;
    if (!over && !we_were_over) {
      report("S1", earlier.znode.string() + " and " + grant.znode.string() +
                       " were granted at the same time");
    }
    check_order(grant, earlier);
  }
}

// In the order of their evidence: a client may learn late of a grant that was long true, and over,
// on the server.
void LockOracles::check_order(const GrantRecord& grant, const Grant& earlier) {
  const bool in_order = earlier.evidence <= grant.evidence;
  const Zxid first = in_order ? earlier.token : grant.token;
  const Zxid second = in_order ? grant.token : earlier.token;
  if (first < second) return;
  report("S3",
         "token " + std::to_string(second) + " was granted after token " + std::to_string(first));
  report("L2", "the contender created as zxid " + std::to_string(second) +
                   " was granted after the one created as zxid " + std::to_string(first));
}

void LockOracles::gave_up(SessionId session, const Path&, Error error) {
  std::erase(acquiring_, session);
  if (world_->traced()) note(session, "gives up: " + std::string(name(error)));
  check_deletions();
}

void LockOracles::lost(const GrantRecord& grant, Error cause) {
  if (world_->traced()) {
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
  if (world_->traced()) note(grant.session, "release: " + std::string(name(outcome)));
  if (Grant* const known = find(grant)) known->given_back = true;
  const std::optional<Life> life = life_of(grant.znode);
  if (outcome == ReleaseOutcome::kReleased && life && life->deleted == 0) {
    report("R2", grant.znode.string() + " was released, but still exists");
  }
  check_deletions();
}

void LockOracles::check_deletions() {
  const History& history = world_->server().history();
  for (; deletions_checked_ < history.size(); ++deletions_checked_) {
    const Change& change = history[deletions_checked_];
    if (change.kind != Change::Kind::kDeleted || change.actor == 0 || change.owner == 0) continue;
    if (change.actor == change.owner) continue;
    report("S4", world_->server().paths().path(change.path).string() +
                     " was deleted by a session that does not own it");
  }
}

void LockOracles::check_orphans() {
  check_deletions();
  const Server& server = world_->server();
  for (const Change& change : server.history()) {
    if (change.kind != Change::Kind::kCreated || change.owner == 0) continue;
    const Path znode = server.paths().path(change.path);
    const bool ours = std::ranges::any_of(
        locks_, [&](const Path& lock) { return is_contender(lock, change.path); });
    const std::optional<Life> life = life_of(znode);
    if (!ours || !life || life->deleted != 0 || !server.session_alive(life->owner)) continue;
    if (!still_in_use(life->owner, znode)) {
      report("S5", znode.string() + " is still there, but nobody holds it or waits for it");
    }
  }
}

bool LockOracles::still_in_use(SessionId session, const Path& znode) const {
  if (std::ranges::find(acquiring_, session) != acquiring_.end()) return true;
  return std::ranges::any_of(grants_, [&](const Grant& grant) {
    return grant.znode == znode && !grant.given_back && grant.losses == 0;
  });
}

// The latest life of a znode: a name may be used again after its parent has been re-created.
std::optional<LockOracles::Life> LockOracles::life_of(const Path& znode) const {
  const Server& server = world_->server();
  const std::optional<PathId> id = server.paths().find(znode.text());
  if (!id) return std::nullopt;
  std::optional<Life> life;
  for (const Change& change : server.history()) {
    if (change.path != *id) continue;
    if (change.kind == Change::Kind::kCreated) life = Life{change.zxid, 0, change.owner};
    if (change.kind == Change::Kind::kDeleted && life) life->deleted = change.zxid;
  }
  return life;
}

bool LockOracles::is_contender(const Path& lock, PathId id) const {
  const PathTable& paths = world_->server().paths();
  return paths.text(paths.parent(id)) == lock.text() &&
         sequence_number(paths.name(id), mark_).has_value();
}

LockOracles::Grant* LockOracles::find(const GrantRecord& grant) {
  for (Grant& known : grants_) {
    if (known.znode == grant.znode && known.token == grant.token) return &known;
  }
  return nullptr;
}

void LockOracles::report(std::string_view oracle, std::string message) {
  verdict_->report(oracle, std::move(message), world_->steps());
}

void LockOracles::note(SessionId session, std::string_view text) {
  const auto known =
      std::ranges::find(process_of_, session, &std::pair<SessionId, std::uint32_t>::first);
  if (known != process_of_.end()) world_->note(known->second, text);
}

}  // namespace lockstep::fakezk
