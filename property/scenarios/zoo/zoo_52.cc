// A doubtful grant is handed on (found by a planted bug that no oracle saw): the tasks of a process
// share one grant, and hand it on even when the connection is lost. The next task begins its work
// under a lock that another client may get at any moment. Correct: hand on only a certain grant,
// and queue up otherwise, as in lockstep::CohortMutex.
#include "lockstep/fair_mutex.h"
#include "scenarios/broken_lock.h"
#include "scenarios/inside.h"

namespace lockstep::scenarios::zoo_52 {

namespace {

constexpr std::uint32_t kTasks = 3;

// One task of the process, which holds the grant alone.
Task<void> work(Contender& self, Session& session, const HeldLock& held) {
  Inside inside(self, session, held.cause());
  inside.leave_at(held.suspect_token());
  static_cast<void>(co_await session.get_data(held.znode()));
}

Task<void> work_in_turn(Contender& self, Session& session, const HeldLock& held) {
  co_await work(self, session, held);
  for (std::uint32_t task = 2; task <= kTasks; ++task) {
    // The flaw: the grant may be suspect or lost.
    held.handed_on(task);
    co_await work(self, session, held);
  }
}

Task<void> hold(Contender& self, Session& session, Path lock) {
  FairMutex mutex(session, lock, &self.oracles());
  Result<HeldLock> held = co_await attempted(self, session, mutex.acquire());
  if (!held) co_return;
  co_await work_in_turn(self, session, *held);
  static_cast<void>(co_await held->release());
}

const Registered kRegistered{
    Scenario{"zoo-52-hands-on-what-it-doubts", "zoo", "S4",
             "Tasks of a process hand their grant on even when it is in doubt.",
             lab::ScenarioSize{2, 1}, &in_each_round<&hold>, "made up"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_52
