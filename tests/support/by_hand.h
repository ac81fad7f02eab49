#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/fake/simulation.h"
#include "lockstep/fakezk/trace.h"
#include "lockstep/held_lock.h"
#include "lockstep/lock_observer.h"
#include "lockstep/ok.h"
#include "lockstep/sequence.h"
#include "lockstep/take_place.h"
#include "support/error_of.h"
#include "support/lab.h"
#include "support/printers.h"

// Helpers with which unit tests script a simulation.
namespace lockstep::unit {

using fake::FakeSession;
using fake::Simulation;
using fake::Started;
using support::code_of;
using support::error_of;
using support::message_of;
using support::must;
using namespace std::chrono_literals;

// A session's operations as tasks, for Simulation::start and run.
inline Task<Result<Created>> create(Session& session, Path path, Data data = Data(),
                                    CreateMode mode = CreateMode::kPersistent,
                                    Context context = Context()) {
  co_return co_await session.create(path, data, mode, context);
}
inline Task<Result<void>> remove(Session& session, Path path, std::int32_t version = -1,
                                 Context context = Context()) {
  co_return co_await session.remove(path, version, context);
}
inline Task<Result<Stat>> exists(Session& session, Path path, Context context = Context()) {
  co_return co_await session.exists(path, context);
}
inline Task<Result<DataAndStat>> get_data(Session& session, Path path,
                                          Context context = Context()) {
  co_return co_await session.get_data(path, context);
}
inline Task<Result<Stat>> set_data(Session& session, Path path, Data data,
                                   std::int32_t version = -1) {
  co_return co_await session.set_data(path, data, version);
}
inline Task<Result<Children>> get_children(Session& session, Path path,
                                           Context context = Context()) {
  co_return co_await session.get_children(path, context);
}
inline Task<Result<void>> sync(Session& session, Path path, Context context = Context()) {
  co_return co_await session.sync(path, context);
}
inline Task<Result<void>> close(Session& session, Context context = Context()) {
  co_return co_await session.close(context);
}
inline Task<Result<void>> connected(Session& session, Context context = Context()) {
  co_return co_await session.connected(context);
}

// Takes a place in a queue of exclusive contenders.
inline Task<Result<Created>> place_in(Session& session, Path lock, Context context = Context(),
                                      Data data = Data()) {
  const Acl acl;
  co_return co_await take_place(session, lock, kLockMark, data, acl, context);
}

// Reads that return their watches.
inline Task<Result<Watch>> watch_data(Session& session, Path path) {
  auto read = co_await ok(session.get_data_watched(path));
  co_return std::move(read.watch);
}
inline Task<Result<Watch>> watch_exists(Session& session, Path path) {
  auto read = co_await ok(session.exists_watched(path));
  co_return std::move(read.watch);
}
inline Task<Result<Watch>> watch_children(Session& session, Path path) {
  auto read = co_await ok(session.get_children_watched(path));
  co_return std::move(read.watch);
}
// `watch` outlives the task.
inline Task<Result<WatchEvent>> fired(const Watch& watch, Context context = Context()) {
  co_return co_await watch.fired(context);
}

// A task whose result is ignored.
template <class T>
Task<void> ignore(Task<T> task) {
  static_cast<void>(co_await std::move(task));
}

// Lets that many events happen; fewer if nothing more can happen without time.
inline void run_steps(Simulation& simulation, int steps) {
  fakezk::Calm calm;
  simulation.world().drain();
  while (steps-- > 0 && simulation.world().step_without_time(calm)) {
  }
}

// Breaks the connection and lets the session notice; it does not reconnect before reconnect(). For
// `accepted` and `received` see Simulation::cut.
inline void disconnect(Simulation& simulation, const FakeSession& session,
                       std::uint32_t accepted = 0, std::uint32_t received = 0) {
  simulation.cut(session, accepted, received);
  simulation.let_go(session);
  while (session.state() == SessionState::kConnected) run_steps(simulation, 1);
  simulation.hold_inbox(session);
}
inline void reconnect(Simulation& simulation, const FakeSession& session) {
  simulation.let_go(session);
  simulation.settle();
}
// A session whose connection was cut notices that, and reconnects.
inline void lose_and_reconnect(Simulation& simulation, const FakeSession& session) {
  fakezk::Calm calm;
  while (session.state() != SessionState::kSuspended) simulation.world().step(calm);
  while (session.state() != SessionState::kConnected) simulation.world().step(calm);
}
// The session hears nothing of the servers for so long that its grants are lost, and then
// everything.
inline void lose_contact(Simulation& simulation, const FakeSession& session) {
  simulation.hold_inbox(session);
  simulation.advance(3 * session.timeout());
  simulation.let_go(session);
  simulation.settle();
}
// Expires the client's session, and lets the client notice.
inline void expire(Simulation& simulation, fake::FakeClient& client) {
  const auto session = client.current();
  disconnect(simulation, *session);
  simulation.expire(*session);
  reconnect(simulation, *session);
}

// The znode on the server, read without a connection; null if it does not exist.
inline const fakezk::Znode* znode(Simulation& simulation, const Path& path) {
  const fakezk::Server& server = simulation.world().server();
  const std::optional<fakezk::PathId> id = server.paths().find(path.text());
  return id ? server.tree().find(*id) : nullptr;
}
inline std::vector<std::string> children(Simulation& simulation, const Path& path) {
  std::vector<std::string> names;
  const fakezk::Znode* const parent = znode(simulation, path);
  if (!parent) return names;
  for (const fakezk::PathId child : parent->children) {
    names.emplace_back(simulation.world().server().paths().name(child));
  }
  return names;
}
// The number of creates of children of `parent`.
inline std::size_t creates_under(Simulation& simulation, const Path& parent) {
  fakezk::Server& server = simulation.world().servers();
  std::size_t creates = 0;
  for (const fakezk::Change& change : server.history()) {
    const bool created = change.kind == fakezk::Change::Kind::kCreated;
    const fakezk::PathId above = server.paths().parent(change.path);
    if (created && server.paths().path(above) == parent) ++creates;
  }
  return creates;
}

// Counts the requests to the server.
class RequestCounter final : public fakezk::Tracer {
 public:
  explicit RequestCounter(Simulation& simulation) : simulation_(simulation) {
    simulation_.world().set_tracer(this);
  }
  ~RequestCounter() override { simulation_.world().set_tracer(nullptr); }

  [[nodiscard]] std::size_t total() const { return requests_.size(); }
  [[nodiscard]] std::size_t of(const FakeSession& session) const {
    std::size_t count = 0;
    for (const auto& [link, op] : requests_) count += link == session.link() ? 1 : 0;
    return count;
  }
  [[nodiscard]] std::size_t of(const FakeSession& session, OpCode wanted) const {
    std::size_t count = 0;
    for (const auto& [link, op] : requests_) {
      count += link == session.link() && op == wanted ? 1 : 0;
    }
    return count;
  }

 private:
  void step(const fakezk::Step& step) override {
    if (step.applied && step.applied->is_request) {
      requests_.emplace_back(step.event.index, step.applied->op);
    }
  }
  void note(std::uint32_t, std::string_view) override {}

  Simulation& simulation_;
  std::vector<std::pair<fakezk::LinkIndex, OpCode>> requests_;
};

// Records what a lock reports to its observer: "granted", "lost: session expired".
class RecordingObserver final : public LockObserver {
 public:
  [[nodiscard]] const std::vector<std::string>& calls() const { return calls_; }

 private:
  void place_reserved(SessionId, const Path&, const Path&) override { add("place reserved"); }
  void waiting(SessionId, const Path&, std::size_t ahead) override {
    add("waits behind " + std::to_string(ahead));
  }
  void granted(const GrantRecord&) override { add("granted"); }
  void gave_up(SessionId, const Path&, Error error) override {
    add("gave up: " + std::string(name(error)));
  }
  void foreign_child(const Path&, std::string_view child) override {
    add("ignores " + std::string(child));
  }
  void revocation_asked(const GrantRecord&) override { add("revocation asked"); }
  void lost(const GrantRecord&, Error cause) override { add("lost: " + std::string(name(cause))); }
  void released(const GrantRecord&, ReleaseOutcome outcome) override {
    add("released: " + std::string(name(outcome)));
  }
  void numbers_run_out(const Path&, std::int32_t number) override {
    add("number " + std::to_string(number));
  }
  void add(std::string call) { calls_.push_back(std::move(call)); }

  std::vector<std::string> calls_;
};
using Calls = std::vector<std::string>;

// A test that scripts a simulation.
class SimulatedTest : public ::testing::Test {
 protected:
  // The tasks may use locks of the derived test.
  void TearDown() override { simulation_.end_tasks(); }

  // Starts a task, and lets everything happen that needs no time.
  template <class T>
  Started<T> start_and_settle(Task<T> task) {
    Started<T> started = simulation_.start(std::move(task));
    simulation_.settle();
    return started;
  }
  // Runs a task to its end, and then everything that needs no time.
  template <class T>
  T run_and_settle(Task<T> task) {
    T result = simulation_.run(std::move(task));
    simulation_.settle();
    return result;
  }
  // Lets what was held for the session arrive.
  void let_go_and_settle(const FakeSession& session) {
    simulation_.let_go(session);
    simulation_.settle();
  }
  // The session ends as by an operator, and its client learns of it.
  void kill_and_settle(const FakeSession& session) {
    simulation_.kill(session);
    simulation_.cut(session);
    simulation_.settle();
  }

  Simulation simulation_;
};

// The same with one session.
class SimulatedSessionTest : public SimulatedTest {
 protected:
  const std::shared_ptr<FakeSession> session_ = simulation_.open("A");
};

// The same with two sessions.
class SimulatedSessionsTest : public SimulatedTest {
 protected:
  const std::shared_ptr<FakeSession> a_ = simulation_.open("A");
  const std::shared_ptr<FakeSession> b_ = simulation_.open("B");
};

}  // namespace lockstep::unit
