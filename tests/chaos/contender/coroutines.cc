#include "chaos/contender/coroutines.h"

#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "chaos/contender/stall_watch.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/leader_election.h"
#include "lockstep/read_write_lock.h"
#include "lockstep/revocation.h"
#include "lockstep/semaphore.h"
#include "lockstep/sleep.h"
#include "lockstep/task_set.h"
#include "lockstep/unfair_mutex.h"
#include "lockstep/zookeeper/client.h"

namespace lockstep::chaos {

namespace {

using std::chrono::milliseconds;
using SessionPointer = std::shared_ptr<Session>;

constexpr milliseconds kGrace(300);

// One worker: its number, its lock and its source of random draws.
class Worker {
 public:
  Worker(Process& of, zookeeper::Runtime& on, Client& with, int id)
      : process(of),
        runtime(on),
        client(with),
        number(id),
        kind(lock_of_worker(id)),
        lock(of.lock(kind)),
        draw(of.draw_of(id)) {}

  [[nodiscard]] Reporter& reporter() const { return process.reporter; }
  void does(const char* what) const { process.control.doing(number, what); }

  Process& process;
  zookeeper::Runtime& runtime;
  Client& client;
  int number;
  LockKind kind;
  std::string lock;
  Draw draw;
  bool flaw_shown = false;
  std::string* forgotten = nullptr;  // The worker leaks this.
};

Task<void> stop_after(Executor& executor, std::stop_source stop, milliseconds time) {
  static_cast<void>(co_await sleep_for(executor, time));
  stop.request_stop();
}

// Usually without an end, sometimes with a deadline or a cancellation.
Context context_of(Worker& worker) {
  const std::uint64_t kind = worker.draw.below(6);
  const milliseconds time = patience(worker.draw);
  if (kind == 0) {
    const std::stop_source stop;
    worker.runtime.spawn(stop_after(worker.runtime, stop, time));
    return {stop.get_token()};
  }
  if (kind <= 2) return {worker.runtime.now() + time};
  return {};
}

Task<Result<HeldLock>> take_mutex(Worker& worker, SessionPointer session, Context context) {
  LockOptions options;
  options.revocable = worker.kind == LockKind::kRevocable;
  if (options.revocable) options.grace = kGrace;
  FairMutex recipe(*session, worker.lock, options, &worker.reporter());
  if (worker.draw.one_in(8)) {
    Result<HeldLock> held = co_await recipe.try_acquire(context);
    co_return std::move(held);
  }
  Result<HeldLock> held = co_await recipe.acquire(context);
  co_return std::move(held);
}

Task<Result<HeldLock>> take_read_write(Worker& worker, SessionPointer session, Context context) {
  ReadWriteLock recipe(*session, worker.lock, &worker.reporter());
  if (worker.draw.one_in(2)) {
    Result<HeldLock> held = co_await recipe.acquire_read(context);
    co_return std::move(held);
  }
  Result<HeldLock> held = co_await recipe.acquire_write(context);
  co_return std::move(held);
}

Task<Result<HeldLock>> take_lease(Worker& worker, SessionPointer session, Context context) {
  Semaphore recipe(*session, worker.lock, kLeases, &worker.reporter());
  Result<HeldLock> held = co_await recipe.acquire(context);
  co_return std::move(held);
}

Task<Result<HeldLock>> take_office(Worker& worker, SessionPointer session, Context context) {
  const Data candidate(std::string_view("candidate"));
  LeaderElection recipe(*session, worker.lock, candidate, &worker.reporter());
  Result<HeldLock> held = co_await recipe.campaign(context);
  co_return std::move(held);
}

Task<Result<HeldLock>> take_unfair(Worker& worker, SessionPointer session, Context context) {
  UnfairMutex recipe(*session, Path(worker.lock) / kUnfairZnode, &worker.reporter());
  Result<HeldLock> held = co_await recipe.acquire(context);
  co_return std::move(held);
}

Task<Result<HeldLock>> take(Worker& worker, SessionPointer session, Context context) {
  switch (worker.kind) {
    case LockKind::kReadWrite: return take_read_write(worker, session, context);
    case LockKind::kSemaphore: return take_lease(worker, session, context);
    case LockKind::kElection: return take_office(worker, session, context);
    case LockKind::kUnfair: return take_unfair(worker, session, context);
    default: return take_mutex(worker, session, context);
  }
}

Task<void> take_and_drop(Worker& worker, SessionPointer session) {
  static_cast<void>(co_await take(worker, session, Context()));
}

// Destroys the task of an acquire at a random moment.
Task<void> abandon(Worker& worker, SessionPointer session) {
  TaskSet tasks;
  tasks.spawn(take_and_drop(worker, session));
  static_cast<void>(co_await sleep_for(worker.runtime, patience(worker.draw)));
}

// Uses the lock for a while, or until it is lost. While the grant is suspect, it does not let go by
// itself.
Task<void> use(Worker& worker, const HeldLock& held, milliseconds time) {
  const std::stop_token lost = held.lost_token();
  const Zxid token = held.fencing_token();
  const Share share = held.share();
  const bool obeys = !worker.process.has(Flaw::kIgnoresLoss);
  const TimePoint end = worker.runtime.now() + time;
  const Context until_lost = obeys ? Context(lost) : Context();
  // The lock may have been lost since the grant, or during a failed upgrade.
  if (obeys && lost.stop_requested()) co_return;
  worker.reporter().report(Kind::kEntered, worker.number, worker.lock, token, share);
  while (!obeys || !lost.stop_requested()) {
    if (share == Share::kExclusive) {
      const Zxid shown = worker.process.has(Flaw::kInventsToken) ? token + 1 : token;
      static_cast<void>(worker.reporter().write(worker.number, worker.lock, shown));
    }
    const bool enough = worker.runtime.now() >= end || worker.process.control.pausing();
    if (enough && held.state() != LockState::kSuspect) break;
    static_cast<void>(co_await sleep_for(worker.runtime, kBetweenWrites, until_lost));
  }
  if (worker.process.has(Flaw::kUsesAfterRelease)) co_return;
  worker.reporter().report(Kind::kLeft, worker.number, worker.lock, token, share);
}

// Sometimes changes from writing to reading, or back.
Task<void> change(Worker& worker, SessionPointer session, HeldLock& held) {
  ReadWriteLock recipe(*session, worker.lock, &worker.reporter());
  const Context context(worker.runtime.now() + patience(worker.draw));
  if (held.share() == Share::kExclusive) {
    static_cast<void>(co_await recipe.downgrade(held, context));
  } else {
    static_cast<void>(co_await recipe.upgrade(held, context));
  }
}

// Releases the lock in one of the possible ways.
Task<void> give_back(Worker& worker, HeldLock held) {
  const Zxid token = held.fencing_token();
  const Share share = held.share();
  if (worker.process.has(Flaw::kNeverReleases)) {
    static_cast<void>(co_await sleep_until(worker.runtime, TimePoint::max()));
  }
  const std::uint64_t way = worker.draw.below(8);
  if (way == 0) co_return;  // The destructor releases.
  Context context;
  if (way == 1) context = Context(worker.runtime.now() + patience(worker.draw));
  const GrantRecord record(SessionId{}, held.lock(), held.znode(), token, token);
  static_cast<void>(co_await held.release(context));
  if (worker.process.has(Flaw::kTellsLossLate)) worker.reporter().lost(record, Error::kNoNode);
  if (worker.process.has(Flaw::kUsesAfterRelease)) {
    static_cast<void>(co_await sleep_for(worker.runtime, milliseconds(50)));
    worker.reporter().report(Kind::kLeft, worker.number, worker.lock, token, share);
  }
}

// Considers itself the holder as soon as it has a znode.
Task<void> barge_in(Worker& worker, SessionPointer session) {
  const Data nothing;
  const auto created = co_await session->create(Path(worker.lock) / "_c_x-lock-", nothing,
                                                CreateMode::kEphemeralSequential);
  if (!created) {
    // If its znode exists, only the session's end deletes it, and others would wait for that.
    if (outcome_unknown(created.error())) static_cast<void>(co_await session->close());
    co_return;
  }
  const Zxid token = created->stat.czxid;
  worker.reporter().granted(
      GrantRecord(session->id(), worker.lock, created->path, token, created->stat.czxid));
  static_cast<void>(co_await sleep_for(worker.runtime, milliseconds(5)));
  const auto removed = co_await session->remove(created->path);
  if (!removed) static_cast<void>(co_await session->close());
  worker.reporter().released(
      GrantRecord(session->id(), worker.lock, created->path, token, created->stat.czxid),
      ReleaseOutcome::kReleased);
  worker.reporter().served(worker.number);
}

// Creates it outside of the locks: a contender after that znode would wait for it forever.
Task<void> leave_znode(const Worker& worker, SessionPointer session) {
  const Data nothing;
  static_cast<void>(co_await session->create(Path(worker.lock).parent() / "_c_left-lock-", nothing,
                                             CreateMode::kEphemeralSequential));
}

// Returns true if this was a round of a flawed contender.
Task<bool> show_flaw(Worker& worker, SessionPointer session) {
  if (worker.process.has(Flaw::kDoesNotWait) && worker.kind == LockKind::kMutex) {
    co_await barge_in(worker, session);
    co_return true;
  }
  if (worker.process.has(Flaw::kNeverEnds) && !std::exchange(worker.flaw_shown, true)) {
    worker.reporter().acquire_begins(session->id(), worker.lock);
  }
  if (worker.process.has(Flaw::kLeaks)) {
    worker.forgotten = new std::string(64U << 10U, 'x');
  }
  co_return false;
}

Task<void> contend_once(Worker& worker) {
  const Context context = context_of(worker);
  worker.does("session");
  const auto session = co_await worker.client.session(context);
  if (!session) co_return;
  const bool flawed = co_await show_flaw(worker, *session);
  if (flawed) co_return;
  if (worker.kind == LockKind::kRevocable && worker.draw.one_in(10)) {
    worker.does("revoke");
    static_cast<void>(co_await revoke(**session, worker.lock, context));
  }
  if (worker.draw.one_in(12)) {
    worker.does("abandon");
    co_await abandon(worker, *session);
    co_return;
  }
  worker.does("acquire");
  Result<HeldLock> held = co_await take(worker, *session, context);
  if (!held) co_return;
  const bool loses =
      worker.process.has(Flaw::kIgnoresLoss) || worker.process.has(Flaw::kTellsLossTwice);
  if (loses && !std::exchange(worker.flaw_shown, true)) {
    static_cast<void>(co_await (*session)->close());
  }
  worker.does("use");
  co_await use(worker, *held, holding_time(worker.kind, worker.draw));
  worker.reporter().served(worker.number);
  if (worker.kind == LockKind::kReadWrite && worker.draw.one_in(3)) {
    worker.does(held->share() == Share::kShared ? "upgrade" : "downgrade");
    co_await change(worker, *session, *held);
    co_await use(worker, *held, holding_time(worker.kind, worker.draw));
  }
  worker.does("release");
  co_await give_back(worker, std::move(*held));
  if (worker.process.has(Flaw::kLeavesZnode) && !std::exchange(worker.flaw_shown, true)) {
    co_await leave_znode(worker, *session);
  }
}

Task<void> contend(Worker& worker, int& working) {
  Control& control = worker.process.control;
  while (!control.quitting()) {
    if (control.begin(worker.number)) {
      co_await contend_once(worker);
      control.end(worker.number);
    }
    const milliseconds pause = control.pausing() ? kBetweenLooks : thinking_time(worker.draw);
    static_cast<void>(co_await sleep_for(worker.runtime, pause));
  }
  --working;
}

Task<void> wait_for_all(Executor& executor, int& working) {
  while (working > 0) static_cast<void>(co_await sleep_for(executor, kBetweenLooks));
}

}  // namespace

void contend_with_coroutines(Process& process) {
  const Settings& settings = process.settings;
  std::optional<StallWatch> watch;
  zookeeper::Runtime runtime;
  std::deque<zookeeper::Client> clients;
  std::deque<Worker> workers;
  int working = 0;
  for (int session = 0; session < settings.sessions; ++session) {
    const zookeeper::Options options(settings.servers, settings.session_timeout);
    clients.emplace_back(runtime, options);
    for (int i = 0; i < settings.workers; ++i) {
      workers.emplace_back(process, runtime, clients.back(), session * settings.workers + i);
    }
  }
  watch.emplace(runtime, process.reporter);
  for (Worker& worker : workers) {
    ++working;
    runtime.spawn(contend(worker, working));
  }
  runtime.run(wait_for_all(runtime, working));
  runtime.drop_spawned();
}

}  // namespace lockstep::chaos
