#include "textbook_c.h"

#include <stdexcept>

namespace lockstep::scenarios::textbook_c {

Task<Result<Zxid>> poll(Session& session, Path lock, Path ours, LockObserver* observer,
                        Context context) {
  for (;;) {
    const Children queue = co_await ok(retried(session, &Session::get_children, lock, context));
    const Position position = co_await ok(position_of(ours.name(), kLockMark, queue));
    if (position.ahead == 0) co_return queue.parent().pzxid;
    if (observer) observer->waiting(session.id(), ours, position.ahead);
    // The flaw: should wait for the znode in front.
    co_await ok(sleep_for(session.executor(), std::chrono::seconds(1), context));
  }
}

Task<Result<Created>> create(Session& session, Path parent, std::string mark, Data data,
                             Context context) {
  // The flaw: an unknown outcome is taken for a failure.
  const Path prefix = parent / ("task" + mark);
  co_return co_await session.create(prefix, data, CreateMode::kEphemeralSequential, context);
}

Task<void> work_in_folder(Contender& self, Path lock, std::uint32_t rounds) {
  const Path folder = lock / "tasks";
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
    if (!session) continue;
    // The flaw: any error will do.
    static_cast<void>(co_await (*session)->create(folder, Data(), CreateMode::kPersistent));
    const auto connected = co_await (*session)->connected();
    if (!connected) continue;
    const Attempt attempt(self, (*session)->id());
    const auto ours = co_await (*session)->create(folder / "task-lock-", Data(),
                                                  CreateMode::kEphemeralSequential);
    if (!ours && ours.error() == Error::kNoNode) throw std::runtime_error("NoNodeException");
    // If it is unknown whether it was applied, the session is given up, and the znode with it.
    const bool usable = ours && keeps_order(*ours);
    if (!usable) static_cast<void>(co_await (*session)->close());
    if (!usable) continue;
    const auto evidence =
        co_await wait_for_turn(**session, folder, ours->path, &self.oracles(), Context());
    if (!evidence) continue;
    GrantRecord grant((*session)->id(), folder, ours->path, ours->stat.czxid, *evidence);
    HeldLock held(**session, std::move(grant), &self.oracles());
    co_await held.release();
  }
}

}  // namespace lockstep::scenarios::textbook_c
