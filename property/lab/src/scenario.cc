#include "lockstep/lab/scenario.h"

#include <algorithm>
#include <utility>

#include "lockstep/internal/check.h"
#include "lockstep/lab/words.h"
#include "lockstep/search/chronicle.h"

namespace lockstep::lab {

namespace {

// The contender that blocks another one, and the lock at which it does.
class Blocked {
 public:
  const Contender* by;
  Path lock;
};

// Finds a watched znode that belongs to another contender that has not finished.
std::optional<Blocked> blocked(const Contender& waiter, const Contenders& contenders,
                               const fakezk::Server& server) {
  for (const Path& znode : waiter.client().fake().session_waiting().watches) {
    const std::optional<fakezk::PathId> id = server.paths().find(znode.text());
    const fakezk::Znode* const found = id ? server.tree().find(*id) : nullptr;
    if (!found || found->ephemeral_owner == 0) continue;
    for (const Contender& contender : contenders) {
      if (&contender == &waiter || contender.finished()) continue;
      if (contender.client().fake().has_session(found->ephemeral_owner)) {
        return Blocked{&contender, znode.parent()};
      }
    }
  }
  return std::nullopt;
}

// Whether contenders wait for each other in a circle that includes different locks. A circle within
// one queue is not a deadlock: the queue has a last place, which blocks no contender.
bool wait_in_a_circle(const Contenders& contenders, const fakezk::Server& server) {
  for (const Contender& contender : contenders) {
    if (contender.finished()) continue;
    const std::optional<Blocked> first = blocked(contender, contenders, server);
    std::optional<Blocked> at = first;
    bool at_another_lock = false;
    for (std::size_t steps = 0; at && steps < contenders.size(); ++steps) {
      if (at->lock != first->lock) at_another_lock = true;
      if (at->by == &contender && at_another_lock) return true;
      at = blocked(*at->by, contenders, server);
    }
  }
  return false;
}

}  // namespace

// The reaping of the lock's parent is a fault, which the search places; the servers' own container
// checks would only add steps to every execution.
fakezk::ServerOptions LockScenario::servers() const {
  return {.tick_time = lock_.tick_time,
          .replicas = lock_.replicas,
          .container_check_interval = Duration::zero()};
}

void LockScenario::reset(fakezk::World& world) {
  resumes_ = prepared_ && world.reset_to(*prepared_);
  if (!resumes_) world.reset();
}

void LockScenario::start(fakezk::World& world, search::Verdict& verdict) {
  fibers_.execution_begins();
  if (lock_.at_start) lock_.at_start();
  verdict_ = &verdict;
  world.set_blocker(&fibers_);
  world.set_rest_watcher(this);
  world.set_faults(fakezk::FaultPlan());
  world.set_tracer(nullptr);
  oracles_.begin(world, verdict);
  resource_.begin(world, verdict, 1);
  if (resumes_) {
    resume();
  } else {
    prepare(world);
  }
  world.begin_trace();
  for (Contender& contender : contenders_) run(contender);
  world.drain();
}

void LockScenario::clear() {
  for (Contender& contender : contenders_) contender.clear();
  oracles_.end();
  fibers_.execution_ends();
}

void LockScenario::restart(fakezk::Process& process) {
  Contender& contender = contenders_[process.index()];
  oracles_.crashed(process.index());
  resource_.crashed(process);
  contender.restart();
  run(contender);
}

void LockScenario::add_contenders(fakezk::World& world) {
  contenders_.clear();
  for (std::uint32_t i = 0; i < size_.clients; ++i) {
    contenders_.emplace_back(world.add_process(), process_name(i), oracles_, resource_, fibers_);
    contenders_.back().client().fake().set_options(lock_.sessions);
  }
  if (lock_.last == LastContender::kImpatient) contenders_.back().become_impatient();
  if (!lock_.shares_nothing()) return;
  for (Contender& contender : contenders_) contender.become_isolated();
}

void LockScenario::prepare(fakezk::World& world) {
  add_contenders(world);
  for (Contender& contender : contenders_) contender.client().fake().current();
  world.settle();
  create_lock(world);
  if (lock_.replicas > 1) {
    world.servers().set_lagging(lock_.replicas - 1, true, world.now());
  }
  sessions_.clear();
  for (Contender& contender : contenders_) {
    sessions_.push_back(contender.client().fake().current()->snapshot());
  }
  prepared_ = world.checkpoint();
}

namespace {

Task<void> create_parent(fake::FakeSession& session, Path lock) {
  static_cast<void>(co_await session.create(std::move(lock), Data(), CreateMode::kContainer));
}

}  // namespace

// With an ACL, one of the contenders creates the parent, because the operator lacks their
// identities.
void LockScenario::create_lock(fakezk::World& world) {
  if (!lock_.sessions.default_acl.says_nothing()) {
    fake::FakeClient& first = contenders_.front().client().fake();
    first.process().tasks().spawn(create_parent(*first.current(), lock_path_));
    return world.settle();
  }
  Request parent(OpCode::kCreate, lock_path_);
  parent.mode = CreateMode::kContainer;
  const bool created = world.servers().create_as_operator(parent, world.now());
  internal::check(created, "a scenario's lock path is valid");
}

void LockScenario::resume() {
  auto session = sessions_.begin();
  for (Contender& contender : contenders_) contender.client().fake().resume(*session++);
}

void LockScenario::finish(fakezk::World& world) {
  // The znodes of a contender that still waits or holds are not orphans.
  for (const Contender& contender : contenders_) {
    if (contender.finished()) {
      oracles_.finished(contender.client().process().index());
      continue;
    }
    for (const SessionId id : contender.client().fake().session_ids()) oracles_.at_work(id);
  }
  oracles_.check_orphans();
  check_grants(world);
  check_draws(world);
  if (lock_.check_at_end) lock_.check_at_end(world, *verdict_);
  bool waiting = false;
  for (const Contender& contender : contenders_) {
    if (contender.finished()) continue;
    waiting = true;
    const std::uint32_t process = contender.client().process().index();
    const std::vector<std::uint32_t> users = contender.running_users();
    if (users.empty()) world.note(process, "WAITS FOR EVER");
    for (const std::uint32_t user : users) world.note(process, "WAITS FOR EVER", user);
  }
  if (!waiting) return;
  const bool circle = wait_in_a_circle(contenders_, world.server());
  verdict_->report(circle ? "deadlock" : "L1", who_waits_for_what(world), world.steps());
}

// Without a fault, a lock that was never granted shows nothing.
void LockScenario::check_grants(const fakezk::World& world) const {
  std::uint32_t attempts = 0;
  std::uint32_t grants = 0;
  for (const Contender& contender : contenders_) {
    attempts += contender.attempts();
    grants += contender.grants();
  }
  if (grants > 0) return check_failures(world);
  if (attempts == 0 || world.kinds_injected() != 0) return;
  verdict_->report("misuse",
                   "every acquire has failed, although no fault has struck: there is no grant to"
                   " judge",
                   world.steps());
}

void LockScenario::check_failures(const fakezk::World& world) const {
  for (const Contender& contender : contenders_) {
    if (!contender.groundless_failure()) continue;
    verdict_->report("L1", groundless(contender.client().name(), *contender.groundless_failure()),
                     world.steps());
  }
}

// No search chooses what comes before the first step.
void LockScenario::check_draws(const fakezk::World& world) const {
  const auto early = std::ranges::find_if(contenders_, &Contender::has_drawn_early);
  if (early == contenders_.end()) return;
  verdict_->report("misuse",
                   early->client().name() +
                       " has asked for its holding_time() before its first"
                       " request, where it is always zero: await something"
                       " first",
                   world.steps());
}

// L1 judges every contender, whether it reports its acquires or not.
search::Judgements LockScenario::judgements() const {
  search::Judgements all = oracles_.judged();
  all += resource_.judged();
  all.count(search::Oracle::kL1, contenders_.size());
  return all;
}

namespace {

// "A waits", or "A.1 and A.3 wait".
std::string waiters_of(const Contender& contender) {
  const std::string& name = contender.client().name();
  const std::vector<std::uint32_t> users = contender.running_users();
  if (users.empty()) return name + " waits";
  std::string waiters;
  for (const std::uint32_t user : users) {
    waiters += (waiters.empty() ? "" : " and ") + search::user_name(name, user);
  }
  return waiters + (users.size() == 1 ? " waits" : " wait");
}

}  // namespace

std::string LockScenario::who_waits_for_what(const fakezk::World& world) const {
  std::string report = "nothing can happen any more, and an acquire has not resolved:";
  for (const Contender& contender : contenders_) {
    if (contender.finished()) continue;
    report += "\n  " + waiters_of(contender) + " for";
    const fake::FakeSession::Waiting waiting = contender.client().fake().session_waiting();
    std::string_view between;
    for (const auto& [op, path] : waiting.requests) {
      report += std::exchange(between, ", and");
      report += " the reply to " + std::string(name(op)) + " " + path.string();
    }
    for (const Path& path : waiting.watches) {
      report += std::exchange(between, ", and");
      report += " a change of " + path.string() + whose(world, path, contender);
    }
    if (waiting.requests.empty() && waiting.watches.empty()) {
      report += " an event that never comes: it has no request in flight and no watch armed";
    }
  }
  return report;
}

// Explains why that znode may never change.
std::string LockScenario::whose(const fakezk::World& world, const Path& znode,
                                const Contender& waiter) const {
  const std::optional<fakezk::PathId> id = world.server().paths().find(znode.text());
  const fakezk::Znode* const found = id ? world.server().tree().find(*id) : nullptr;
  if (!found) return ", which does not exist";
  if (found->ephemeral_owner == 0) return "";
  for (const Contender& contender : contenders_) {
    if (!contender.client().fake().has_session(found->ephemeral_owner)) continue;
    return &contender == &waiter ? ", which is its own"
                                 : ", which belongs to " + contender.client().name();
  }
  return ", which belongs to an abandoned session";
}

std::string LockScenario::process_name(std::uint32_t process) const {
  std::string name(1, static_cast<char>('A' + process % 26));
  if (process >= 26) name += std::to_string(process / 26);
  return name;
}

}  // namespace lockstep::lab
