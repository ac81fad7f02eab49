#include "parts.h"

namespace lockstep::scenarios {

Task<Result<Created>> sound_create(Session& session, Path parent, std::string mark, Data data,
                                   Context context) {
  const Acl acl;
  co_return co_await take_place(session, parent, mark, data, acl, context);
}

Task<Result<Zxid>> sound_wait(Session& session, Path lock, Path ours, LockObserver* observer,
                              Context context) {
  const LockQueue queue(session, std::move(lock), kMutexMarks, observer);
  co_return co_await wait_in_queue(queue, ours, Patience::kWaits, context);
}

Task<Result<GrantRecord>> queue_up(Session& session, Path lock, LockObserver& observer,
                                   Context context) {
  const Created ours =
      co_await ok(sound_create(session, lock, std::string(kLockMark), Data(), context));
  Place place(session, ours.path);
  observer.place_reserved(session.id(), lock, ours.path);
  const Zxid evidence =
      co_await ok(sound_wait(session, lock, ours.path, &observer, std::move(context)));
  place.granted();
  GrantRecord grant(session.id(), lock, ours.path, ours.stat.czxid, evidence);
  observer.granted(grant);
  co_return std::move(grant);
}

Task<Result<GrantRecord>> acquire(Contender& self, Session& session, Path lock) {
  const Attempt attempt(self, session.id());
  co_return co_await queue_up(session, std::move(lock), self.oracles());
}

std::string new_guid(Session& session) {
  return "_c_" + std::string(Guid(session.random()).view());
}

Task<Result<Created>> create_anyhow(Session& session, Path parent, std::string mark, Data data,
                                    Context context) {
  for (;;) {
    const std::string guid = new_guid(session);
    const Path prefix = parent / (guid + mark);
    Result<Created> created =
        co_await session.create(prefix, data, CreateMode::kEphemeralSequential, context);
    if (created || session_is_over(created.error())) co_return std::move(created);
    if (created.error() == Error::kNoNode) {
      co_await ok(ensure_parent(session, parent, context));
    } else if (outcome_unknown(created.error())) {
      remove_guaranteed_by_guid(session, parent, guid);
      co_await ok(session.connected(context));
    } else {
      co_return std::move(created);
    }
  }
}

Result<void> keeps_order(const Created& created) {
  const auto number = sequence_number(created.path.name(), kLockMark);
  if (!number || !lockstep::keeps_order(*number)) return failure(Error::kNodeExists);
  return {};
}

Task<Result<void>> remove_surely(Session& session, Path znode) {
  bool tried = false;
  for (;;) {
    const Result<void> removed = co_await session.remove(znode);
    if (removed || (tried && removed.error() == Error::kNoNode)) co_return Result<void>();
    if (!outcome_unknown(removed.error())) co_return removed;
    tried = true;
    co_await ok(session.connected());
  }
}

Task<void> release(Contender& self, Session& session, GrantRecord grant) {
  const Result<void> removed = co_await remove_surely(session, grant.znode);
  self.oracles().released(grant,
                          removed ? ReleaseOutcome::kReleased : ReleaseOutcome::kAlreadyLost);
}

std::string_view first_of(const Children& queue, std::string_view mark) {
  std::string_view first;
  for (const std::string_view name : queue) {
    const auto number = sequence_number(name, mark);
    if (!number) continue;
    if (first.empty() || precedes(*number, *sequence_number(first, mark))) first = name;
  }
  return first;
}

}  // namespace lockstep::scenarios
