// Loss reported twice (made up, to try the oracle): a failed request tells the holder that its
// session is over, and so does the watch on its znode. Correct: lockstep::HeldLock reports a loss
// once, whichever way it learns of it.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_42 {

namespace {

// A grant, while a task watches it.
class Holding {
 public:
  Holding(GrantRecord grant, LockObserver& told) : record(std::move(grant)), observer_(told) {}

  void lost(Error cause) {
    // The flaw: this should also be silent if it has reported the loss before.
    if (!given_back) observer_.lost(record, cause);
  }

  const GrantRecord record;
  bool given_back = false;

 private:
  LockObserver& observer_;
};

Task<void> watch(std::shared_ptr<Session> session, std::shared_ptr<Holding> holding) {
  const auto read =
      co_await retried(*session, &Session::get_data_watched, holding->record.znode, Context());
  if (!read) co_return holding->lost(read.error());
  const Result<WatchEvent> event = co_await read->watch.fired();
  const Error cause = event ? Error::kNoNode : event.error();
  holding->lost(cause);
}

Task<void> hold(Contender& self, Session& session, Path lock) {
  const Result<GrantRecord> grant = co_await acquire(self, session, lock);
  if (!grant) co_return;
  const auto holding = std::make_shared<Holding>(*grant, self.oracles());
  self.client().process().tasks().spawn(watch(self.client().current(), holding));
  const Result<void> worked = co_await session.sync(lock);
  const bool over = !worked && session_is_over(worked.error());
  if (over) holding->lost(worked.error());
  holding->given_back = true;
  co_await release(self, session, *grant);
}

const Registered kRegistered{
    Scenario{"zoo-42-loss-told-twice", "zoo", "R1",
             "Reports a loss twice: when a request fails, and when its watch fires.",
             lab::ScenarioSize{2, 1}, &in_each_round<&hold>, "made up"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_42
