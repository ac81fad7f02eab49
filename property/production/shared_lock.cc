#include "shared_lock.h"

#include <string>

#include "lockstep/place.h"
#include "lockstep/take_place.h"

namespace lockstep::program {

Task<Result<HeldLock>> SharedLock::acquire(Patience patience, Context context) {
  Session& session = queue_.session;
  // 1. Take a place in the queue: "<lock>/_c_<guid>-__READ__<number>".
  const std::string mark = "-" + std::string(kReadMark);
  const Created ours =
      co_await ok(take_place(session, queue_.lock, mark, options_.data, options_.acl, context));
  Place place(session, ours.path, queue_.observer);
  // 2. to 5. Wait until no exclusive contender is in front.
  const Zxid evidence = co_await ok(wait_in_queue(queue_, place.znode(), patience, context));
  GrantRecord grant(session.id(), queue_.lock, place.znode(), ours.stat.czxid, evidence);
  grant.share = Share::kShared;
  co_return place.grant(std::move(grant), queue_.observer, options_.of_grant());
}

}  // namespace lockstep::program
