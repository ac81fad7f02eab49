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
  lives_.clear();
  followed_ = 0;
}

void LockOracles::acquiring(SessionId session, std::uint32_t process) {
  acquiring_.push_back(session);
  process_of_.emplace_back(session, process);
}

void LockOracles::resolved(SessionId session) {
  const auto pending = std::ranges::find(acquiring_, session);
  if (pending != acquiring_.end()) acquiring_.erase(pending);
}

void LockOracles::released_again(const Path& znode, ReleaseOutcome first, ReleaseOutcome second) {
  if (first == second) return;
  report("R2", znode.string() + " was released as '" + std::string(name(first)) +
                   "' and, when asked again, as '" + std::string(name(second)) + "'");
}

void LockOracles::place_reserved(SessionId session, const Path&, const Path& znode) {
  if (world_->traced()) note(session, "has its place " + znode.string());
}

void LockOracles::granted(const GrantRecord& grant) {
  follow_server();
  if (world_->traced()) {
    tell_grant(grant, &World::grant_begins);
    note(grant.session, "HOLDS " + grant.znode.string() + ", token " + std::to_string(grant.token));
  }
  const Life* const own = life_of(grant.znode, grant.token);
  if (!own) {
    report("S1", grant.znode.string() + " was granted, but was never created as zxid " +
                     std::to_string(grant.token));
  } else {
    check_evidence(grant, *own);
    check_earlier_grants(grant, *own);
  }
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
  // Whoever was created earlier, with a lower number, must have gone by then.
  for (const Life& other : lives_) {
    if (other.created > grant.evidence) break;
    if (other.lock != own.lock || !precedes(other.number, own.number)) continue;
    if (other.deleted != 0 && other.deleted <= grant.evidence) continue;
    report("S1", grant.znode.string() + " was granted while " + text(other.znode) +
                     " was in front of it");
  }
}

void LockOracles::check_earlier_grants(const GrantRecord& grant, const Life& own) {
  for (const Grant& earlier : grants_) {
    if (earlier.lock != grant.lock) continue;
    if (earlier.znode == grant.znode && earlier.token == grant.token) {
      report("S1", grant.znode.string() + " was granted twice");
      continue;
    }
    const Life* const life = life_of(earlier.znode, earlier.token);
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
  if (Grant* const known = find(grant)) known->given_back = true;
  const Life* const life = life_of(grant.znode, grant.token);
  if (outcome == ReleaseOutcome::kReleased && life && life->deleted == 0) {
    report("R2", grant.znode.string() + " was released, but still exists");
  }
}

void LockOracles::check_orphans() {
  follow_server();
  for (const Life& life : lives_) {
    if (life.deleted != 0 || !world_->server().session_alive(life.owner)) continue;
    if (still_in_use(life)) continue;
    report("S5", text(life.znode) + " is still there, but nobody holds it or waits for it");
  }
}

bool LockOracles::still_in_use(const Life& life) const {
  if (std::ranges::find(acquiring_, life.owner) != acquiring_.end()) return true;
  return std::ranges::any_of(grants_, [&](const Grant& grant) {
    return grant.token == life.created && !grant.given_back && grant.losses == 0;
  });
}

void LockOracles::follow_server() {
  const History& history = world_->server().history();
  for (; followed_ < history.size(); ++followed_) {
    const Change& change = history[followed_];
    if (change.owner == 0) continue;  // Contenders are ephemeral.
    if (change.kind == Change::Kind::kCreated) created(change);
    if (change.kind == Change::Kind::kDeleted) deleted(change);
  }
}

void LockOracles::created(const Change& change) {
  const PathTable& paths = world_->server().paths();
  const auto number = sequence_number(paths.name(change.path), mark_);
  if (!number) return;
  lives_.push_back({change.path, paths.parent(change.path), *number, change.zxid, 0, change.owner});
}

void LockOracles::deleted(const Change& change) {
  for (Life& life : lives_) {
    if (life.znode != change.path || life.deleted != 0) continue;
    life.deleted = change.zxid;
    if (change.actor != 0 && change.actor != change.owner) {
      report("S4", text(change.path) + " was deleted by a session that does not own it");
    }
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

std::string LockOracles::text(PathId znode) const {
  return world_->server().paths().path(znode).string();
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

std::optional<std::uint32_t> LockOracles::process_of(SessionId session) const {
  const auto known =
      std::ranges::find(process_of_, session, &std::pair<SessionId, std::uint32_t>::first);
  if (known == process_of_.end()) return std::nullopt;
  return known->second;
}

void LockOracles::tell_grant(const GrantRecord& grant,
                             void (World::*what)(std::uint32_t, const Path&)) {
  if (const auto process = process_of(grant.session)) (world_->*what)(*process, grant.znode);
}

void LockOracles::note(SessionId session, std::string_view text) {
  if (const auto process = process_of(session)) world_->note(*process, text);
}

}  // namespace lockstep::fakezk
