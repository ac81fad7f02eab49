// R2, and the losses that a release finds (R1).
#include "lockstep/judge/lock_oracles.h"

namespace lockstep::judge {

using search::Oracle;

void LockOracles::released(const GrantRecord& grant, ReleaseOutcome outcome) {
  follow_server();
  check_late_grants();
  if (world_->traced()) tell_released(grant, outcome);
  count(Oracle::kR2);
  if (outcome == ReleaseOutcome::kAlreadyLost) count(Oracle::kR1);
  Grant* const known = find(grant);
  if (known) {
    if (known->held()) record_memory_read();
    known->given_back = true;
    if (known->outcome) released_again(grant.znode, *known->outcome, outcome);
    known->outcome = outcome;
  } else {
    report(Oracle::kR2, grant, "was released without having been granted");
  }
  const Life* const life = known ? life_of(*known) : lives_.find(grant.znode, grant.created);
  if (life) world_->note_existence(life->znode);
  if (outcome == ReleaseOutcome::kReleased) check_release(grant, known, life);
  if (outcome == ReleaseOutcome::kAlreadyLost && known) check_already_lost(grant, *known, life);
}

// Judges a release that says that it has ended the grant.
void LockOracles::check_release(const GrantRecord& grant, const Grant* known, const Life* life) {
  if (known && known->losses > 0) {
    report(Oracle::kR2, grant, "was 'released', but its loss had been reported");
  }
  if (!life) return;
  const bool came_back = life->away_from != 0;
  if (life->deleted == 0 && !came_back) {
    report(Oracle::kR2, grant, "was released, but still exists");
  }
  // After a lost reply, an operator's deletion looks like ours.
  const bool by_operator = (world_->kinds_injected() & bit(fakezk::FaultKind::kForeignDelete)) != 0;
  if (life->deleted != 0 && life->deleted_by == 0 && !by_operator) {
    report(Oracle::kR2, grant, "was 'released', but had been lost with its session");
  }
}

void LockOracles::check_already_lost(const GrantRecord& grant, const Grant& known,
                                     const Life* life) {
  if (known.losses == 0 && known.by_own_clock()) {
    report(Oracle::kR1, grant,
           "was 'already lost' when it was released, but its loss was not reported");
  }
  // Once its session has ended, a client cannot know. A leader that has begun to end a session
  // tells its client so; if another server becomes the leader before that is committed, the session
  // lives.
  const bool by_itself = life && life->deleted != 0 && life->deleted_by == life->owner;
  if (by_itself && !known.lost_before_release && !known.lost_with_session &&
      world_->server().session_alive(life->owner)) {
    report(Oracle::kR2, grant, "was 'already lost', but the release itself has deleted it");
  }
}

}  // namespace lockstep::judge
