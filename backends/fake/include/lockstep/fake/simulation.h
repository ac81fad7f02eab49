#pragma once

#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "lockstep/blocker.h"
#include "lockstep/fake/client.h"
#include "lockstep/fake/session.h"
#include "lockstep/fakezk/endless.h"
#include "lockstep/fakezk/world.h"
#include "lockstep/task.h"

namespace lockstep::fake {

// Thrown by a wait for a task that can never finish; what() says who waits for what. All tasks of
// the simulation have been ended before (Simulation::end_tasks).
class Deadlock : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Thrown when an execution does not end: events repeat without end, such as a poll every second, or
// code runs on without waiting for anything.
using fakezk::Endless;

// A task that runs by itself; this object keeps its result. Copies share the result. If the task is
// still waiting at the end, the simulation destroys it.
template <class T>
class Started {
 public:
  [[nodiscard]] bool done() const { return state_->finished; }
  // The result, if done(); rethrows the exception of the task.
  [[nodiscard]] T& result() const {
    if (state_->exception) std::rethrow_exception(state_->exception);
    return *state_->value;
  }

 private:
  friend class Simulation;
  struct State {
    std::optional<T> value;
    std::exception_ptr exception;
    bool finished = false;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

// START HERE (tests): ZooKeeper in this process, in virtual time. Nothing happens by itself: only
// the calls below deliver messages and move the clock. They follow the default schedule (no fault,
// one client after the other) except where they say otherwise, so that a unit test can script an
// exact interleaving:
//
//   Simulation simulation;
//   const auto session = simulation.open("A");
//   FairMutex mutex(*session, "/lock");
//   Result<HeldLock> held = simulation.run(mutex.acquire());
//
// A call that runs the simulation throws Endless after kMostSteps events, or after World::kMostWork
// pieces of work in one event.
//
// Blocking code (lockstep/blocking) needs no preparation: a blocking call runs the simulation until
// it is over, and throws Deadlock if it never will be. A release throws neither that nor Endless:
// its outcome is kUnknown then.
//
// Single-threaded. Sessions, locks and mutexes belong to the simulation and are destroyed before
// it; end_tasks() first ends the tasks that still use them.
class Simulation final : private Blocker {
 public:
  static constexpr std::uint32_t kMostSteps = 2'000'000;

  explicit Simulation(fakezk::ServerOptions options = {});
  ~Simulation();

  // The client with that name; the same object each time.
  FakeClient& client(std::string_view name);
  // A new, already connected session of that client. With a chroot, its paths are below that znode.
  std::shared_ptr<FakeSession> open(std::string_view name,
                                    Duration timeout = FakeClient::kDefaultTimeout,
                                    const Path& chroot = Path(Text()),
                                    const SessionOptions& options = {});

  // Starts a task and runs it as far as it gets without the server.
  template <class T>
  Started<T> start(Task<T> task) {
    const Inside inside(*this);
    Started<T> started;
    tasks_.spawn(keep(std::move(task), started));
    world_.drain();
    return started;
  }
  // Starts a task without a result. If it ends with an exception, the call that runs it throws that
  // exception, once, like one from a session's background or a listener.
  void start(Task<void> task);

  // Runs until the task has finished, moving the clock when nothing else can happen. Throws
  // Deadlock if it can never finish.
  template <class T>
  T run(Task<T> task) {
    const Started<T> started = start(std::move(task));
    run_until(started);
    return std::move(started.result());
  }
  void run(Task<void> task);
  template <class T>
  void run_until(const Started<T>& started) {
    run_posted();
    for (std::uint32_t steps = 0; !started.done(); count(steps)) {
      if (!step()) end_in_deadlock();
    }
  }

  // Destroys the unfinished tasks, and all that they hold. Not for one of them (checked).
  void end_tasks() noexcept { tasks_.clear(); }

  // Runs until no event is left, timers included.
  void run();
  // Runs until only timers are left: no time passes.
  void settle();
  // Settles, moves the clock from timer to timer, and settles again after each of them and at the
  // end: messages take no time. A negative duration, or one beyond the clock's end, is misuse.
  void advance(Duration duration);

  // Messages by hand: requests of that kind, and everything sent after them, stay in flight to the
  // server until let_go().
  void hold(const FakeSession& session, OpCode op);
  // Replies and events stay in flight to the client.
  void hold_inbox(const FakeSession& session);
  void let_go(const FakeSession& session);

  // Breaks the connection now. Requests that the server had not applied are lost, except for the
  // first `accepted`; messages that the client had not received are lost, except for the first
  // `received`. The client reconnects when the simulation runs on.
  void cut(const FakeSession& session, std::uint32_t accepted = 0, std::uint32_t received = 0);
  // Silences the session until the server expires it: the clock moves that far. The client learns
  // of it when the simulation runs on.
  void expire(const FakeSession& session);
  // Ends the session as an operator would, at once; no time passes.
  void kill(const FakeSession& session);

  // Like cut(), but the server applies the accepted requests later: when nothing else can happen,
  // or before the session's next request.
  void cut_late(const FakeSession& session, std::uint32_t accepted, std::uint32_t received = 0);

  // Control of several replicas (ServerOptions::replicas). send_to: the session's next connections
  // reach that replica. The others: it stops applying transactions, catches up, or loses its
  // leader.
  void send_to(const FakeSession& session, fakezk::ReplicaIndex replica);
  void fall_behind(fakezk::ReplicaIndex replica);
  void catch_up(fakezk::ReplicaIndex replica);
  void isolate(fakezk::ReplicaIndex replica);
  void change_leader() { world_.faults().change_leader(); }
  // As change_leader(), and the servers forget the newest `writes` writes that changed something,
  // although they have acknowledged them; fewer if a session has begun or ended since then.
  void forget_writes(std::uint32_t writes) { world_.faults().forget_writes(writes); }

  // The server throttles that many of the session's next requests: it answers kThrottledOp and does
  // not execute them. One session at a time: another call takes the place of the one before.
  void throttle(const FakeSession& session, std::uint32_t requests);

  // The next sequential znode under `parent` gets this number, as after that many creates.
  void wind_sequence(const Path& parent, std::int32_t next);

  [[nodiscard]] TimePoint now() const { return world_.now(); }
  // For what has no call here.
  [[nodiscard]] fakezk::World& world() { return world_; }
  [[nodiscard]] bool exists(const Path& path) const;  // On the servers.
  // The clients that wait, one per line, and what each waits for.
  [[nodiscard]] std::string describe_deadlock() const;

 private:
  // While it lives, the simulation counts as running.
  class Inside {
   public:
    explicit Inside(Simulation& simulation)
        : inside_(simulation.inside_),
          before_(std::exchange(simulation.inside_, true)),
          chains_end_(simulation.world_) {}
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() { inside_ = before_; }

   private:
    bool& inside_;
    bool before_;
    fakezk::World::ChainsEnd chains_end_;
  };

  void advance_clock(TimePoint until);
  void block(BlockingCall& call) override;
  void wait_for_release(BlockingCall& release);
  void over(BlockingCall& call) noexcept override { call.is_over = true; }
  // All blocking code runs on this one thread.
  [[nodiscard]] LockOwner caller() const override { return LockOwner(this); }

  template <class T>
  static Task<void> keep(Task<T> task, Started<T> started) {
    try {
      started.state_->value.emplace(co_await std::move(task));
    } catch (...) {
      started.state_->exception = std::current_exception();
    }
    started.state_->finished = true;
  }
  static Task<int> zero_after(Task<void> task);
  void run_posted();
  bool step();
  // Counts one more step; throws Endless after too many.
  static void count(std::uint32_t& steps);
  void rethrow();
  [[noreturn]] void end_in_deadlock();
  [[nodiscard]] const std::string& owner_of(const FakeSession& session) const;
  fakezk::SessionIndex server_side(const FakeSession& session) const;

  fakezk::World world_;
  fakezk::Prompt prompt_;
  TaskSet tasks_;
  std::deque<FakeClient> clients_;
  std::vector<std::weak_ptr<FakeSession>> sessions_;
  bool inside_ = false;
};

}  // namespace lockstep::fake
