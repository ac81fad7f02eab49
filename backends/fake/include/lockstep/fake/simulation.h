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

// Thrown when a task is waited for that can never finish; what() says who waits for what.
class Deadlock : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Thrown when there is no end: something happens again and again, such as a look every second, or
// code runs on and on without anything that it waits for.
using fakezk::Endless;

// A task that runs by itself; its result is kept here. Copies share it. The result of a task that
// is still waiting is destroyed with the simulation, like the task.
template <class T>
class Started {
 public:
  [[nodiscard]] bool done() const { return state_->finished; }
  // The result, if done(); rethrows what the task threw.
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

// START HERE (tests): ZooKeeper in this process, in virtual time. Nothing happens by itself: the
// calls below let messages travel and the clock move, calmly (no fault, one client after the
// other) unless told otherwise, so that a unit test can script an exact interleaving:
//
//   Simulation simulation;
//   const auto session = simulation.open("A");
//   FairMutex mutex(*session, "/lock");
//   Result<HeldLock> held = simulation.run(mutex.acquire());
//
// What runs it throws Endless after kMostSteps events, or World::kMostWork pieces of work in one.
//
// Code that blocks (lockstep/blocking) is called like any: it runs the simulation itself until its
// call is over, and throws Deadlock if it never will be.
//
// Single-threaded. Sessions, locks and mutexes belong to the simulation and are destroyed before
// it; tasks that still use them then are ended first.
class Simulation final : private Blocker {
 public:
  static constexpr std::uint32_t kMostSteps = 2'000'000;

  explicit Simulation(fakezk::ServerOptions options = {});
  ~Simulation();

  // A process of that name; the same object each time.
  FakeClient& client(std::string_view name);
  // A new session of that client, already connected. With a chroot its paths are below that znode.
  std::shared_ptr<FakeSession> open(std::string_view name,
                                    Duration timeout = FakeClient::kDefaultTimeout,
                                    const Path& chroot = Path(Text()),
                                    const SessionOptions& options = {});

  // Starts a task; it gets as far as it can without the server.
  template <class T>
  Started<T> start(Task<T> task) {
    const Inside inside(*this);
    Started<T> started;
    tasks_.spawn(keep(std::move(task), started));
    world_.drain();
    return started;
  }
  // For tasks without a result: an exception they let escape is thrown by the call that runs them,
  // once, like one out of a session's background or a listener.
  void start(Task<void> task);

  // Runs until the task has finished, moving the clock when nothing else can happen. Throws
  // Deadlock if it never will.
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
      if (!step()) throw Deadlock(describe_deadlock());
    }
  }

  // Destroys the tasks that are still under way, and all that they hold.
  void end_tasks() noexcept { tasks_.clear(); }

  // Runs until nothing can happen any more, timers included.
  void run();
  // Runs until only timers could happen: no time passes.
  void settle();
  // Settles, moves the clock from timer to timer, and settles again after each of them and at the
  // end: messages travel in no time.
  void advance(Duration duration);

  // Messages by hand: requests of that kind stay on their way to the server, with everything sent
  // after them, until let go.
  void hold(const FakeSession& session, OpCode op);
  // Replies and events stay on their way to the client.
  void hold_inbox(const FakeSession& session);
  void let_go(const FakeSession& session);

  // The connection breaks now. What the server had not applied is lost, unless it is among the
  // first `accepted` requests; what the client had not received is lost, unless it is among the
  // first `received` items. The client reconnects when the simulation runs on.
  void cut(const FakeSession& session, std::uint32_t accepted = 0, std::uint32_t received = 0);
  // The server hears nothing of the session until it expires it: the clock moves that far. The
  // client learns of it when the simulation runs on.
  void expire(const FakeSession& session);
  // An operator ends the session at once; no time passes.
  void kill(const FakeSession& session);

  // As cut(), but what the server has accepted it applies later, when nothing else can happen or
  // before the session's next request.
  void cut_late(const FakeSession& session, std::uint32_t accepted, std::uint32_t received = 0);

  // Several replicas (ServerOptions::replicas) by hand. The session's next connections go to that
  // one; it applies nothing new until it catches up; it loses its leader.
  void send_to(const FakeSession& session, fakezk::ReplicaIndex replica);
  void fall_behind(fakezk::ReplicaIndex replica);
  void catch_up(fakezk::ReplicaIndex replica);
  void isolate(fakezk::ReplicaIndex replica);
  void change_leader() { world_.change_leader(); }
  // As change_leader(), and the servers forget the last so many writes that changed something,
  // although they have acknowledged them; fewer if a session has begun or ended since then.
  void forget_writes(std::uint32_t writes) { world_.forget_writes(writes); }

  // The server is too busy for that many of the session's next requests: it answers kThrottledOp
  // and does not execute them.
  void throttle(const FakeSession& session, std::uint32_t requests);

  // The next sequential znode under `parent` gets this number, as if that many had been created.
  void wind_sequence(const Path& parent, std::int32_t next);

  [[nodiscard]] TimePoint now() const { return world_.now(); }
  [[nodiscard]] fakezk::World& world() { return world_; }
  [[nodiscard]] bool exists(const Path& path) const;
  // Who waits for what, one line per session that does.
  [[nodiscard]] std::string describe_deadlock() const;

 private:
  // While it lives, what the simulation runs may be running.
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
  void over(BlockingCall& call) noexcept override { call.is_over = true; }
  // All code that blocks runs on the one thread that there is.
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
  // One more.
  static void count(std::uint32_t& steps);
  void rethrow();
  fakezk::SessionIndex server_side(const FakeSession& session) const;

  fakezk::World world_;
  fakezk::Prompt prompt_;
  TaskSet tasks_;
  std::deque<FakeClient> clients_;
  std::vector<std::weak_ptr<FakeSession>> sessions_;
  bool inside_ = false;
};

}  // namespace lockstep::fake
