// The downgrade's gap (CURATOR-276, CURATOR-621): a writer takes a read lock, whose znode queues up
// after the next writer, and gives the write lock back. The next writer then enters beside the
// reader. Correct: ReadWriteLock::downgrade lets the reader inherit the writer's number. Client A
// downgrades, the others write.
#include "lockstep/read_write_lock.h"
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_27 {

namespace {

Task<Result<HeldLock>> downgrade(Contender& self, Session& session, HeldLock writer) {
  // The flaw: the reader gets a new number, which is the last place in the queue.
  const Path lock = writer.lock();
  const std::string mark = "-" + std::string(kReadMark);
  const Created reader = co_await ok(sound_create(session, lock, mark, Data(), Context()));
  GrantRecord grant(session.id(), lock, reader.path, reader.stat.czxid, reader.stat.czxid);
  grant.share = Share::kShared;
  grant.continues = writer.znode();
  HeldLock held(session, std::move(grant), &self.oracles());
  co_await writer.release();
  co_return std::move(held);
}

Task<Result<HeldLock>> acquire(Contender& self, Session& session, Path lock) {
  const Attempt attempt(self, session.id());
  ReadWriteLock recipe(session, lock, &self.oracles());
  HeldLock writer = co_await ok(recipe.acquire_write());
  if (self.client().name() != "A") co_return std::move(writer);
  co_return co_await downgrade(self, session, std::move(writer));
}

Task<void> hold(Contender& self, Session& session, Path lock) {
  Result<HeldLock> held = co_await acquire(self, session, lock);
  if (held) co_await held->release();
}

const Registered kRegistered{Scenario{
    "zoo-27-downgrade-gap", "zoo", "S1",
    "Goes on reading after the next writer, and lets that one in.", lab::ScenarioSize{2, 1},
    &readers_and_writers<&each_round<&hold>>, "CURATOR-276, CURATOR-621"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_27
