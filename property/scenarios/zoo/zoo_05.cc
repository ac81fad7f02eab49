// Monitor held during a retry (CURATOR-495): the waiter holds its monitor while it reads the queue
// and while it repeats the read after a connection loss. The thread that would announce the
// reconnect needs the same monitor first, so both wait forever. Correct: lockstep::wait_in_queue
// holds nothing while it waits; here, the waiter would hold the monitor for one request at a time.
#include "lockstep/async_event.h"
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_05 {

namespace {

// A thread's monitor. The event thread takes it for every change of the session's state.
class Monitor final : public SessionListener {
 public:
  explicit Monitor(Session& session) : reconnected(session.executor()), session_(session) {
    session_.add_listener(*this);
  }
  ~Monitor() { session_.remove_listener(*this); }

  class Held {
   public:
    explicit Held(Monitor& monitor) : monitor_(monitor) { monitor_.held_ = true; }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() {
      monitor_.held_ = false;
      if (monitor_.pending_) monitor_.reconnected.set();
    }

   private:
    Monitor& monitor_;
  };

  AsyncEvent reconnected;

 private:
  void session_changed(SessionState state) override {
    pending_ = state != SessionState::kSuspended;
    if (!pending_) reconnected.reset();
    if (pending_ && !held_) reconnected.set();  // Otherwise the event thread blocks.
  }

  Session& session_;
  bool held_ = false;
  bool pending_ = false;
};

Task<Result<Children>> list(Session& session, Path lock, Monitor& monitor, Context context) {
  for (;;) {
    Result<Children> children = co_await session.get_children(lock, context);
    if (children || !outcome_unknown(children.error())) co_return std::move(children);
    co_await ok(monitor.reconnected.wait(context));
  }
}

Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context) {
  Monitor monitor(session);
  for (;;) {
    Result<Children> queue = failure(Error::kConnectionLoss);
    {
      const Monitor::Held held(monitor);
      // The flaw: this waits for a reconnect while it holds the monitor, but the reconnect is
      // announced only once the monitor is free.
      queue = co_await list(session, lock, monitor, context);
    }
    if (!queue) co_return failure(queue.error());
    const Position position = co_await ok(position_of(ours.name(), kLockMark, *queue));
    if (position.ahead == 0) co_return queue->parent().pzxid;
    if (observer) observer->waiting(session.id(), ours, position.ahead);
    co_await ok(change_of(session, lock / position.predecessor, context));
  }
}

const Registered kRegistered{
    Scenario{"zoo-05-monitor-held-during-retry", "zoo", "L1",
             "Waits for a reconnect, holding the monitor without which none is announced.",
             lab::ScenarioSize{2, 1}, &lock_scenario<WithWait<&wait_for_turn>>, "CURATOR-495"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_05
