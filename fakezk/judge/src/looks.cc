// How contenders look at their queue: L3, and livelock by looks.
#include <algorithm>

#include "lockstep/judge/assertions.h"
#include "lockstep/judge/lock_oracles.h"

namespace lockstep::judge {

using search::Oracle;

namespace {

// More looks at an unchanged queue are a livelock. A lagging replica can cause a few.
constexpr std::uint32_t kMostIdleLooks = 12;

}  // namespace

void LockOracles::waiting(SessionId session, const Path& znode, std::size_t) {
  for (Acquire& acquire : acquiring_) acquire.waits = acquire.waits || acquire.session == session;
  if (world_->recorder()) return;
  follow_server();
  const Life* const life = lives_.living(znode);
  if (!life) return;
  Looks& looks = looks_of(session, lives_.index_of(*life));
  const Zxid applied = world_->server().last_zxid_for(session);
  const std::size_t changes = lives_.changes_until(applied);
  const bool again = looks.last != 0;
  if (again) judge_look(looks, changes);
  looks.before = again ? looks.last : life->created;
  looks.last = applied;
  looks.changes = changes;
}

// Reuses the entry of a place that has gone.
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

void LockOracles::judge_look(Looks& looks, std::size_t changes) {
  const Life& own = lives_[looks.life];
  if (looks.changes != changes) {
    looks.idle = 0;
    if (!wakes_one(own) || !asserted(Oracle::kL3, rules_, *world_)) return;
    count(Oracle::kL3);
    if (!woken_in_vain(own, looks.before)) return;
    report(Oracle::kL3, std::string(text(own.znode)) +
                            " was woken although the one right in front of it is still there");
  } else if (touched_since(own.lock, looks.last)) {
    looks.idle = 0;
  } else if (++looks.idle > kMostIdleLooks) {
    report(Oracle::kLivelock, who(looks.session) + " has looked at the queue for " +
                                  std::string(text(own.znode)) + ' ' + std::to_string(looks.idle) +
                                  " times although nothing has changed");
  }
}

// New data of a znode wakes the contender that watches it.
bool LockOracles::touched_since(fakezk::PathId lock, Zxid look) const {
  return std::ranges::any_of(
      lives_, [&](const Life& life) { return life.lock == lock && life.touched > look; });
}

// The contender's last wake followed a list that was made after the look before the last. If all
// contenders in between had been deleted by then on the server that made the list, the one that is
// now right in front was already the nearest on that list.
bool LockOracles::woken_in_vain(const Life& own, Zxid look_before) const {
  const Life* nearest = nullptr;
  for (const Life& other : lives_) {
    if (other.lock != own.lock || !blocks(other.contender, own.contender)) continue;
    if (other.touched > look_before) return false;  // A revocation may have woken it.
    if (other.deleted != 0 && other.deleted <= look_before) continue;
    if (other.owner == own.owner) {
      // Two users of a session are two contenders, but an upgrade does not wait for its own reader.
      if (other.deleted != 0) return false;  // It may have been the one in front.
      const bool may_be_its_reader =
          own.contender.share == Share::kExclusive && other.contender.share == Share::kShared;
      if (may_be_its_reader) continue;
    }
    if (!nearest || precedes(nearest->contender.number, other.contender.number)) nearest = &other;
    // A downgraded reader and its writer have one number: either was in front.
    const bool beside = nearest->contender.number == other.contender.number;
    if (beside && other.deleted != 0) nearest = &other;
  }
  return nearest && nearest->deleted == 0;
}

}  // namespace lockstep::judge
