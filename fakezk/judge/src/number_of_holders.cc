// S2 for locks that several hold together: a semaphore's leases, or the first ones of a queue. No
// two of their grants conflict, so the grants are counted.
#include <algorithm>
#include <utility>

#include "lockstep/judge/lock_oracles.h"

namespace lockstep::judge {

using search::Oracle;

// Whether that grant is held as far as its holder knows, beside the one of `own`. A holder that
// relies on the server's notice does not count once the server has ended its grant.
bool LockOracles::holds_beside(const Grant& earlier, const Life& own) const {
  const Life* const life = life_of(earlier);
  if (!life || life == &own || life->lease != own.lease) return false;
  if (!is_of_one_lock(life->lock, own.lock) || !earlier.held()) return false;
  world_->note_existence(life->znode);
  return life->deleted == 0 || earlier.by_own_clock();
}

void LockOracles::check_number_of_holders(const GrantRecord& grant, const Life& own) {
  // Nobody has to be told.
  const bool by_notice = grant.loss == LossPolicy::kServerNotice;
  if (by_notice && std::ranges::none_of(grants_, &Grant::by_own_clock)) return;
  const auto beside = [&](const Grant& earlier) {
    return holds_beside(earlier, own) && !is(earlier.znode, grant.continues);
  };
  const auto others = std::ranges::count_if(grants_, beside);
  if (others > 0) count(Oracle::kS2);
  if (std::cmp_less(others, own.lease ? rules_.capacity : rules_.holders)) return;
  for (const Grant& earlier : grants_) {
    if (!beside(earlier)) continue;
    const Life& life = *life_of(earlier);
    check_told(earlier, life, grant.znode);
    if (own.deleted != 0) remember_late_grant(Path(text(earlier.znode)));
  }
}

}  // namespace lockstep::judge
