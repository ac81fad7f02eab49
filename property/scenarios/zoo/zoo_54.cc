// A grant for nobody (made up): the tasks of a process hand a grant on in the order of arrival. A
// task whose time is up leaves its entry in that order, gets the grant, and never hands it on: no
// task of any process gets it again. Correct: a task that gives up also leaves the local queue, or
// hands on a grant that has just come, as in lockstep::CohortMutex.
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "lockstep/async_event.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/when_all.h"
#include "scenarios/acquires.h"
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_54 {

namespace {

// The tasks of a process that share a place in the lock's queue.
class Relay {
 public:
  Relay(Session& session, Path lock, LockObserver& observer)
      : executor_(session.executor()), mutex_(session, std::move(lock), &observer) {}

  Task<Result<void>> acquire(Context context) {
    if (busy_) co_return co_await turn(std::move(context));
    busy_ = true;
    Result<HeldLock> held = co_await mutex_.acquire();
    if (held) held_.emplace(std::move(*held));
    if (held) co_return Result<void>();
    for (const auto& waiter : std::exchange(waiting_, {})) waiter->set();
    busy_ = false;
    co_return failure(held.error());
  }
  Task<void> release() {
    if (waiting_.empty() || held_->state() != LockState::kHeld) {
      HeldLock last = std::move(*held_);
      held_.reset();
      for (const auto& waiter : std::exchange(waiting_, {})) waiter->set();
      busy_ = false;
      static_cast<void>(co_await last.release());
      co_return;
    }
    const std::shared_ptr<AsyncEvent> next = waiting_.front();
    waiting_.pop_front();
    held_->handed_on(++holders_);
    next->set();
  }

 private:
  Task<Result<void>> turn(Context context) {
    const auto ours = std::make_shared<AsyncEvent>(executor_);
    waiting_.push_back(ours);
    const Result<void> told = co_await ours->wait(std::move(context));
    // The flaw: a task that gives up stays in the local queue.
    if (!told) co_return told;
    if (!held_) co_return failure(Error::kSessionExpired);
    co_return Result<void>();
  }

  Executor& executor_;
  FairMutex mutex_;
  bool busy_ = false;
  std::optional<HeldLock> held_;
  std::uint32_t holders_ = 1;
  std::deque<std::shared_ptr<AsyncEvent>> waiting_;
};

Task<void> hold_once(Relay& relay, Context patience) {
  const Result<void> held = co_await relay.acquire(std::move(patience));
  if (held) co_await relay.release();
}

Task<void> hold(Contender& self, Session& session, Path lock) {
  const Context forever;
  Acquires& observer = Acquires::of(self, forever);
  Relay relay(session, lock, observer);
  const Context soon(self.client().executor().now() + std::chrono::seconds(1));
  std::vector<Task<void>> tasks;
  tasks.push_back(hold_once(relay, forever));
  tasks.push_back(hold_once(relay, soon));
  tasks.push_back(hold_once(relay, forever));
  co_await when_all(std::move(tasks));
}

const Registered kRegistered{Scenario{"zoo-54-grant-for-nobody", "zoo", "L1",
                                      "Hands the grant to a task that has given up waiting for it.",
                                      lab::ScenarioSize{2, 1}, &in_each_round<&hold>, "made up"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_54
