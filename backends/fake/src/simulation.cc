#include "lockstep/fake/simulation.h"

#include <algorithm>
#include <system_error>

#include "lockstep/internal/check.h"

namespace lockstep::fake {

Simulation::Simulation(fakezk::ServerOptions options) : world_(options) {
  world_.set_blocker(this);
}

Simulation::~Simulation() { tasks_.clear(); }

FakeClient& Simulation::client(std::string_view name) {
  for (FakeClient& client : clients_) {
    if (client.name() == name) return client;
  }
  return clients_.emplace_back(world_.add_process(), std::string(name));
}

std::shared_ptr<FakeSession> Simulation::open(std::string_view name, Duration timeout,
                                              const Path& chroot, const SessionOptions& options) {
  auto session = std::make_shared<FakeSession>(client(name).process(), timeout, chroot, options);
  sessions_.push_back(session);
  while (session->state() == SessionState::kConnecting && step()) {
  }
  return session;
}

Task<int> Simulation::zero_after(Task<void> task) {
  co_await std::move(task);
  co_return 0;
}

void Simulation::start(Task<void> task) {
  const Inside inside(*this);
  tasks_.spawn(std::move(task));
  world_.drain();
  rethrow();
}

void Simulation::run(Task<void> task) { static_cast<void>(run(zero_after(std::move(task)))); }

void Simulation::run() {
  run_posted();
  for (std::uint32_t steps = 0; step();) count(steps);
}

void Simulation::count(std::uint32_t& steps) {
  if (++steps < kMostSteps) return;
  throw Endless("no end after " + std::to_string(kMostSteps) + " events");
}

void Simulation::settle() {
  run_posted();
  const Inside inside(*this);
  for (std::uint32_t steps = 0; world_.step_without_time(prompt_); count(steps)) rethrow();
}

void Simulation::advance(Duration duration) {
  const TimePoint until = after(world_.now(), duration);
  internal::check(duration >= Duration::zero() && until != TimePoint::max(),
                  "a simulation advances by a duration from zero that its clock can tell");
  settle();
  for (;;) {
    const std::optional<TimePoint> next = world_.next_timer();
    const bool last = !next || *next > until;
    advance_clock(last ? until : *next);
    settle();
    if (last) return;
  }
}

void Simulation::advance_clock(TimePoint until) {
  const Inside inside(*this);
  world_.advance_clock(until);
}

// Runs the work that the test has posted since the last event, such as by a stop token.
void Simulation::run_posted() {
  const Inside inside(*this);
  world_.drain();
  rethrow();
}

bool Simulation::step() {
  const Inside inside(*this);
  const bool happened = world_.step(prompt_);
  rethrow();
  return happened;
}

void Simulation::block(BlockingCall& call) {
  if (call.is_release()) return wait_for_release(call);
  if (inside_) {
    throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur),
                            "lockstep: a blocking call inside the simulation");
  }
  call.executor().post(call);
  run_posted();
  for (std::uint32_t steps = 0; !call.is_over; count(steps)) {
    if (!step()) end_in_deadlock();
  }
}

// Throws nothing. Exceptions of tasks are left to the next call that runs the simulation.
void Simulation::wait_for_release(BlockingCall& release) {
  if (inside_) return release.run();
  release.executor().post(release);
  const Inside inside(*this);
  world_.drain();
  for (std::uint32_t steps = 0; !release.is_over && steps < kMostSteps; ++steps) {
    if (!world_.step(prompt_)) return;
  }
}

// The exception leaves the scope of locks, which must outlive the tasks of their acquires.
void Simulation::end_in_deadlock() {
  const Deadlock deadlock(describe_deadlock());
  if (!inside_) end_tasks();
  throw deadlock;
}

void Simulation::rethrow() {
  if (!tasks_.failed() && !world_.task_failed()) return;
  std::exception_ptr exception = tasks_.first_exception();
  tasks_.forget_exception();
  if (!exception) exception = world_.take_exception();
  std::rethrow_exception(exception);
}

void Simulation::hold(const FakeSession& session, OpCode op) {
  world_.network()[session.link()].held_request = op;
}

void Simulation::hold_inbox(const FakeSession& session) {
  world_.network()[session.link()].inbox_flows = false;
}

void Simulation::let_go(const FakeSession& session) {
  world_.network()[session.link()].held_request.reset();
  world_.network()[session.link()].inbox_flows = true;
}

void Simulation::cut(const FakeSession& session, std::uint32_t accepted, std::uint32_t received) {
  world_.faults().cut(session.link(), accepted, received);
}

void Simulation::cut_late(const FakeSession& session, std::uint32_t accepted,
                          std::uint32_t received) {
  world_.faults().cut_late(session.link(), accepted, received);
}

void Simulation::send_to(const FakeSession& session, fakezk::ReplicaIndex replica) {
  internal::check(replica < world_.server().replica_count(), "the replica exists");
  world_.network()[session.link()].goes_to = replica;
}

void Simulation::fall_behind(fakezk::ReplicaIndex replica) {
  world_.servers().set_lagging(replica, true, world_.now());
}

void Simulation::catch_up(fakezk::ReplicaIndex replica) {
  world_.servers().set_lagging(replica, false, world_.now());
}

void Simulation::isolate(fakezk::ReplicaIndex replica) {
  world_.servers().isolate(replica, world_.now());
}

void Simulation::wind_sequence(const Path& parent, std::int32_t next) {
  internal::check(exists(parent), "wind_sequence() of a znode that does not exist");
  world_.servers().wind_sequence(*world_.server().paths().find(parent.text()), next);
}

void Simulation::throttle(const FakeSession& session, std::uint32_t requests) {
  world_.servers().throttle(session.link(), requests);
}

void Simulation::expire(const FakeSession& session) {
  world_.faults().expire(server_side(session));
}

void Simulation::kill(const FakeSession& session) {
  world_.faults().kill_session(server_side(session));
}

fakezk::SessionIndex Simulation::server_side(const FakeSession& session) const {
  const fakezk::Server& server = world_.server();
  for (fakezk::SessionIndex index = 0; index < server.session_count(); ++index) {
    if (server.session_id(index) == session.id()) return index;
  }
  internal::misused("the server does not know this session");
}

bool Simulation::exists(const Path& path) const {
  const fakezk::Server& server = world_.server();
  const std::optional<fakezk::PathId> id = server.paths().find(path.text());
  return id && server.tree().find(*id);
}

namespace {

void describe(const std::string& who, const FakeSession::Waiting& waiting, std::string& report) {
  for (const auto& [op, path] : waiting.requests) {
    report += "\n  " + who + " waits for the reply to " + std::string(name(op));
    report += " " + path.string();
  }
  for (const Path& path : waiting.watches) {
    report += "\n  " + who + " waits for a change of " + path.string();
  }
}

}  // namespace

std::string Simulation::describe_deadlock() const {
  std::string report = "deadlock: nothing can happen any more, and sessions still wait";
  for (const std::weak_ptr<FakeSession>& weak : sessions_) {
    const std::shared_ptr<FakeSession> session = weak.lock();
    if (session) describe(owner_of(*session), session->waiting(), report);
  }
  for (const FakeClient& client : clients_) {
    describe(client.name(), client.session_waiting(), report);
  }
  return report;
}

const std::string& Simulation::owner_of(const FakeSession& session) const {
  const std::uint32_t process = world_.process_of(session.link());
  const auto owner = std::ranges::find_if(clients_, [process](const FakeClient& client) {
    return client.process().index() == process;
  });
  internal::check(owner != clients_.end(), "each session belongs to a client");
  return owner->name();
}

}  // namespace lockstep::fake
