// S2 for a grant whose client learns of it after the server has ended it: the client has to be told
// in the same step.
#include <vector>

#include "lockstep/judge/lock_oracles.h"

namespace lockstep::judge {

// The grant that is being judged is the next one in grants_. If several others hold, one is named.
void LockOracles::remember_late_grant(const Path& held_instead) {
  std::erase_if(late_grants_, [&](const LateGrant& late) { return late.index == grants_.size(); });
  late_grants_.push_back({grants_.size(), held_instead, world_->steps(), world_->now()});
}

// Called before anything else is reported, so that the verdict does not depend on which report
// comes next.
void LockOracles::check_late_grants() {
  const auto is_over = [&](const LateGrant& late) {
    return late.step != world_->steps() || late.at != world_->now();
  };
  for (const LateGrant& late : late_grants_) {
    const Grant& grant = grants_[late.index];
    if (is_over(late) && grant.held()) check_told(grant, lives_[grant.life], late.held_instead);
  }
  std::erase_if(late_grants_, is_over);
}

}  // namespace lockstep::judge
