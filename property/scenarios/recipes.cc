#include "recipes.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inside.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/leader_election.h"
#include "lockstep/multi_lock.h"
#include "lockstep/read_write_lock.h"
#include "lockstep/recursive_mutex.h"
#include "lockstep/revocation.h"
#include "lockstep/semaphore.h"
#include "lockstep/shared_count.h"
#include "lockstep/sleep.h"
#include "lockstep/unfair_mutex.h"
#include "registry.h"
#include "rounds.h"

namespace lockstep::scenarios {

namespace {

using lab::LastContender;
using std::chrono::seconds;

// ----------------------------------------------------------------------------------- fair-mutex

// A single coroutine does here what contend() and give_back() do for other recipes: the speed of
// the search is measured on this scenario, and two more coroutines per round cost 4 % of it.
Task<void> hold_fairly(Contender& self, Path path, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
    if (!session) continue;
    FairMutex mutex(**session, path, &self.oracles());
    const Context patience = self.patience();
    Attempt attempt(self, (*session)->id(), patience);
    Result<HeldLock> held = co_await mutex.acquire(patience);
    attempt.resolved(held);
    if (!held) continue;
    {
      Inside inside(self, **session, held->cause());
      if (lingers(self)) co_await linger(**session, *held, inside);
    }
    check_before_release(self, **session, *held);
    const ReleaseOutcome outcome = co_await held->release();
    const ReleaseOutcome again = co_await held->release();
    check_release(self, held->znode(), held->cause(), outcome, again);
  }
}

// ------------------------------------------------------------------------------ read-write-lock

Task<Result<void>> change(Contender& self, Session& session, HeldLock& held, bool to_writer) {
  ReadWriteLock lock(session, held.lock(), &self.oracles());
  const Context patience = self.patience();
  Attempt attempt(self, session.id(), patience);
  Result<void> changed;
  if (to_writer) {
    changed = co_await lock.upgrade(held, patience);
  } else {
    changed = co_await lock.downgrade(held, patience);
  }
  if (to_writer) {
    attempt.upgraded(changed);
  } else {
    attempt.resolved(changed);
  }
  co_return changed;
}

Task<void> read_and_write(Contender& self, Session& session, Path path, std::uint32_t role) {
  const bool reads_first = role % 4 == 1 || role % 4 == 2;
  ReadWriteLock lock(session, path, &self.oracles());
  const Context patience = self.patience();
  Attempt attempt(self, session.id(), patience);
  Result<HeldLock> held = failure(Error::kCancelled);
  if (reads_first) {
    held = co_await lock.acquire_read(patience);
  } else {
    held = co_await lock.acquire_write(patience);
  }
  attempt.resolved(held);
  if (!held) co_return;
  // The contender holds, as a reader or a writer, whatever the result of the changes.
  bool writes = !reads_first;
  if (reads_first) {
    const Result<void> upgraded = co_await change(self, session, *held, true);
    writes = upgraded.has_value();
  }
  // After a downgrade, it is exclusive even as a reader, because readers do not enter.
  std::optional<Inside> inside;
  if (writes) inside.emplace(self, session, held->cause());
  if (role % 4 == 0) static_cast<void>(held->lost_token());
  if (writes && role % 2 == 0) {
    // The change reports what became of the znode; the holder leaves as soon as the grant is in
    // doubt.
    inside->leave_at(held->suspect_token());
    static_cast<void>(co_await change(self, session, *held, false));
  }
  inside.reset();
  co_await give_back(self, session, std::move(*held));
}

// ------------------------------------------------------------------------------------ semaphore

Task<void> lease(Contender& self, Session& session, Path path, std::uint32_t) {
  Semaphore semaphore(session, path, 2, &self.oracles());
  const Context patience = self.patience();
  Attempt attempt(self, session.id(), patience);
  Result<HeldLock> held = co_await semaphore.acquire(patience);
  attempt.resolved(held);
  if (held) co_await give_back(self, session, std::move(*held));
}

Task<void> create_count(Session& session, Path count) {
  const Data one = encode_shared_count(1);
  for (;;) {
    const Result<Created> created = co_await session.create(count, one, CreateMode::kPersistent);
    if (created || !outcome_unknown(created.error())) co_return;
    static_cast<void>(co_await session.connected());
  }
}

Task<void> lease_and_add_one(Contender& self, Session& session, Path path, std::uint32_t) {
  const Path count("/leases");
  co_await create_count(session, count);
  Semaphore semaphore(session, path, count, &self.oracles());
  const Context patience = self.patience();
  Attempt attempt(self, session.id(), patience);
  Result<HeldLock> held = co_await semaphore.acquire(patience);
  attempt.resolved(held);
  if (!held) co_return;
  static_cast<void>(co_await set_shared_count(session, count, 2));
  co_await give_back(self, session, std::move(*held));
}

// ----------------------------------------------------------------------------------- multi-lock

Task<void> hold_both(Contender& self, Session& session, Path path, std::uint32_t role) {
  std::vector<Path> locks;
  locks.push_back(path / (role % 2 == 0 ? "a" : "b"));
  locks.push_back(path / (role % 2 == 0 ? "b" : "a"));
  MultiLock both(session, std::move(locks), &self.oracles());
  const Context patience = self.patience();
  Attempt attempt(self, session.id(), patience);
  Result<HeldLocks> held = co_await both.acquire(patience);
  attempt.resolved(held);
  if (!held) co_return;
  if (held->each().size() != 2) {
    self.oracles().violated("user:all", "a multi-lock was granted with one of its locks missing");
  }
  co_await work(self, session, held->each().back());
  const ReleaseOutcome outcome = co_await held->release();
  const ReleaseOutcome again = co_await held->release();
  self.oracles().released_again(path, outcome, again);
}

// ------------------------------------------------------------------------------ recursive-mutex

Task<void> hold_twice(Contender& self, Session& session, Path path, std::uint32_t) {
  const LockOwner owner(&self);
  RecursiveMutex mutex(session, path, &self.oracles());
  const Context patience = self.patience();
  Attempt attempt(self, session.id(), patience);
  Result<RecursiveMutex::Hold> outer = co_await mutex.acquire(owner, patience);
  attempt.resolved(outer);
  if (!outer) co_return;
  std::optional<Inside> inside;
  inside.emplace(self, session, outer->held().cause());
  inside->leave_at(outer->held().suspect_token());
  // Takes some time, in which the lock may be lost.
  static_cast<void>(co_await session.sync(path));
  const bool lost = outer->held().cause().has_value();
  Result<RecursiveMutex::Hold> inner = co_await mutex.acquire(owner);
  if (inner.has_value() == lost) {
    self.oracles().violated("user:reentry", "a lost lock was entered again, or a held one was not");
  }
  if (inner) static_cast<void>(co_await inner->release());
  if (mutex.depth(owner) != 1) {
    self.oracles().violated("user:reentry", "an inner level was the last");
  }
  inside.reset();
  static_cast<void>(co_await outer->release());
  if (mutex.depth(owner) != 0) {
    self.oracles().violated("user:reentry", "the last level was not left");
  }
}

// --------------------------------------------------------------------------------- unfair-mutex

constexpr std::string_view kOnly = "only";

Task<void> hold_unfairly(Contender& self, Session& session, Path path, std::uint32_t) {
  UnfairMutex mutex(session, path / kOnly, &self.oracles());
  const Context patience = self.patience();
  Attempt attempt(self, session.id(), patience);
  Result<HeldLock> held = co_await mutex.acquire(patience);
  attempt.resolved(held);
  if (!held) co_return;
  co_await work(self, session, *held);
  co_await give_back(self, session, std::move(*held));
}

// ------------------------------------------------------------------------------ revocable-mutex

constexpr seconds kGrace(2);

// How a holder reacts to a request for the lock: one gives it back, one does not look, one waits
// until it is forced.
Task<void> hold_on(Contender& self, HeldLock& held, std::uint32_t role) {
  Executor& executor = self.client().executor();
  const Context asked(held.revoked_token());
  if (role % 3 == 0) {
    static_cast<void>(co_await sleep_for(executor, seconds(1), asked));
  } else if (role % 3 == 1) {
    static_cast<void>(co_await sleep_for(executor, seconds(1)));
  } else {
    static_cast<void>(co_await sleep_for(executor, seconds(5), asked));
    if (!asked.stop().stop_requested()) co_return;
    const Context lost(held.lost_token());
    static_cast<void>(co_await sleep_for(executor, kGrace + seconds(1), lost));
    if (!held.cause()) self.oracles().violated("user:grace", "a grant outlived its grace");
    if (!lost.stop().stop_requested()) {
      self.oracles().violated("user:loss", "a loss has not stopped the token");
    }
  }
}

// Two reads show what a holder that watches its znode must know. The event came before the first
// reply; it made the grant read the znode, and that answer came before the second reply.
Task<void> check_heard(Contender& self, Session& session, const HeldLock& held) {
  const Path& znode = held.znode();
  int deleted = 0;
  int asked = 0;
  for (int reads = 0; reads < 2; ++reads) {
    const Result<DataAndStat> read = co_await session.get_data(znode);
    if (!read && read.error() == Error::kNoNode) ++deleted;
    if (read && read->data.view() == kRevokeRequest) ++asked;
  }
  if (held.cause()) co_return;
  if (deleted == 2) self.oracles().violated("user:loss", "a holder's znode went unnoticed");
  if (asked == 2 && !held.revoked_token().stop_requested()) {
    self.oracles().violated("user:asked", "a holder was asked to revoke and did not hear of it");
  }
}

Task<void> hold_until_asked(Contender& self, Session& session, Path path, std::uint32_t role) {
  static_cast<void>(co_await revoke(session, path));
  LockOptions options;
  options.revocable = true;
  options.grace = kGrace;
  FairMutex mutex(session, path, options, &self.oracles());
  const Context patience = self.patience();
  Attempt attempt(self, session.id(), patience);
  Result<HeldLock> held = co_await mutex.acquire(patience);
  attempt.resolved(held);
  if (!held) co_return;
  std::optional<Inside> inside;
  if (role % 2 == 0) {  // The others do not ask for the token: revocation must reach them, too.
    inside.emplace(self, session, held->cause());
    inside->leave_at(held->lost_token());
  }
  co_await hold_on(self, *held, role);
  co_await check_heard(self, session, *held);
  inside.reset();
  if (role % 3 == 1) co_return;  // Drops the grant, which is deleted in the background.
  co_await give_back(self, session, std::move(*held));
}

// --------------------------------------------------------------------- revocable-read-write-lock

// A holder learns of a request after a change of its grant even if the request came before.
Task<void> change_when_asked(Contender& self, Session& session, ReadWriteLock& lock,
                             HeldLock& held) {
  const bool asked = held.revoked_token().stop_requested();
  const Result<void> changed = co_await lock.downgrade(held);
  if (!changed || !asked) co_return;
  static_cast<void>(co_await session.sync(held.znode()));
  co_await check_heard(self, session, held);
  const bool struck = self.client().process().world().kinds_injected() != 0;
  if (!struck && !held.cause() && !held.revoked_token().stop_requested()) {
    self.oracles().violated("user:asked", "a downgrade has forgotten a request");
  }
}

Task<void> share_until_asked(Contender& self, Session& session, Path path, std::uint32_t role) {
  static_cast<void>(co_await revoke(session, path, kReadWriteMarks));
  LockOptions options;
  options.revocable = true;
  options.grace = kGrace;
  ReadWriteLock lock(session, path, options, &self.oracles());
  const Context patience = self.patience();
  Attempt attempt(self, session.id(), patience);
  const bool reads = role % 3 == 1;
  Task<Result<HeldLock>> taking =
      reads ? lock.acquire_read(patience) : lock.acquire_write(patience);
  Result<HeldLock> held = co_await std::move(taking);
  attempt.resolved(held);
  if (!held) co_return;
  if (reads) {
    co_await hold_on(self, *held, role);
  } else {
    Inside inside(self, session, held->cause());
    inside.leave_at(held->lost_token());
    co_await hold_on(self, *held, role);
  }
  co_await check_heard(self, session, *held);
  if (role % 3 == 0) co_await change_when_asked(self, session, lock, *held);
  if (reads) co_return;  // Drops the grant, which is deleted in the background.
  co_await give_back(self, session, std::move(*held));
}

// ------------------------------------------------------------------------------ leader-election

// A later leader must have a greater token.
Task<void> watch_leaders(Contender& self, LeaderElection& election) {
  Zxid token = 0;
  Zxid seen = 0;
  for (int changes = 0; changes < 2; ++changes) {
    const Context patience(self.client().executor().now() + seconds(1));
    const Result<std::optional<Leader>> next = co_await election.leader_after(seen, patience);
    if (!next) co_return;
    if (!*next) {
      seen = 0;
      continue;
    }
    if ((*next)->token < token || (*next)->seen == seen) {
      self.oracles().violated("user:leader", "an observer saw an earlier leader again");
    }
    token = (*next)->token;
    seen = (*next)->seen;
  }
}

Task<void> lead(Contender& self, Session& session, Path path, std::uint32_t role) {
  LeaderElection election(session, path, Data(std::string_view(self.client().name())),
                          &self.oracles());
  if (role % 3 == 2) co_await watch_leaders(self, election);
  const Context patience = self.patience();
  Attempt attempt(self, session.id(), patience);
  Result<HeldLock> held = co_await election.campaign(patience);
  attempt.resolved(held);
  if (!held) co_return;
  std::optional<Inside> inside;
  inside.emplace(self, session, held->cause());
  inside->leave_at(held->suspect_token());
  const Result<std::optional<Leader>> seen = co_await election.leader();
  if (seen && *seen && (*seen)->token < held->fencing_token()) {
    self.oracles().violated("user:leader", "the leader sees an earlier leader");
  }
  static_cast<void>(co_await election.proclaim(*held, "at work"));
  inside.reset();
  co_await give_back(self, session, std::move(*held));
}

}  // namespace

lab::LockUnderTest fair_mutex() { return contention(&hold_fairly, LastContender::kImpatient); }
lab::LockUnderTest fair_mutex_held_long() {
  return contention(&lab::contend_for<FairMutex>, LastContender::kImpatient);
}
lab::LockUnderTest read_write_lock() {
  return in_rounds<&read_and_write>(judge::read_write_rules());
}
lab::LockUnderTest semaphore() { return in_rounds<&lease>(judge::semaphore_rules(2)); }
lab::LockUnderTest shared_semaphore() {
  judge::LockRules rules = judge::semaphore_rules(2);
  rules.least_capacity = 1;
  return in_rounds<&lease_and_add_one>(std::move(rules));
}
lab::LockUnderTest multi_lock() { return in_rounds<&hold_both>(judge::mutex_rules()); }
lab::LockUnderTest recursive_mutex() { return in_rounds<&hold_twice>(judge::mutex_rules()); }
lab::LockUnderTest unfair_mutex() { return in_rounds<&hold_unfairly>(judge::single_rules(kOnly)); }
lab::LockUnderTest revocable_read_write_lock() {
  return in_rounds<&share_until_asked>(judge::read_write_rules());
}
lab::LockUnderTest revocable_mutex() { return in_rounds<&hold_until_asked>(judge::mutex_rules()); }
lab::LockUnderTest leader_election() { return in_rounds<&lead>(judge::mutex_rules()); }
lab::LockUnderTest fair_mutex_on_three_servers() {
  return contention(&hold_fairly, LastContender::kImpatient, judge::mutex_rules(), 3);
}
lab::LockUnderTest unfair_mutex_on_three_servers() {
  return in_rounds<&hold_unfairly>(judge::single_rules(kOnly), 3);
}
lab::LockUnderTest read_write_lock_on_three_servers() {
  return in_rounds<&read_and_write>(judge::read_write_rules(), 3);
}

}  // namespace lockstep::scenarios
