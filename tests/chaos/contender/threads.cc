#include "chaos/contender/threads.h"

#include <poll.h>

#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "chaos/contender/stall_watch.h"
#include "lockstep/blocking/mutex.h"
#include "lockstep/blocking/read_write_lock.h"
#include "lockstep/blocking/semaphore.h"
#include "lockstep/zookeeper/client_thread.h"

namespace lockstep::chaos {

namespace {

using std::chrono::milliseconds;

void rest(milliseconds time) { poll(nullptr, 0, static_cast<int>(time.count())); }

// The locks of one process, shared by all its threads.
class Locks {
 public:
  Locks(Process& process, Client& client)
      : mutex(client, process.lock(LockKind::kMutex), &process.reporter),
        read_write(client, process.lock(LockKind::kReadWrite), &process.reporter),
        semaphore(client, process.lock(LockKind::kSemaphore), kLeases, &process.reporter),
        revocable(client, process.lock(LockKind::kRevocable), &process.reporter),
        election(client, process.lock(LockKind::kElection), &process.reporter),
        unfair(client, Path(process.lock(LockKind::kUnfair)) / kUnfairZnode, &process.reporter) {}

  blocking::FairMutex mutex;
  blocking::ReadWriteLock read_write;
  blocking::Semaphore semaphore;
  blocking::RecursiveMutex revocable;
  blocking::FairMutex election;
  blocking::UnfairMutex unfair;
};

class Worker {
 public:
  Worker(Process& of, Locks& with, int id)
      : process(of),
        locks(with),
        number(id),
        kind(lock_of_worker(id)),
        lock(of.lock(kind)),
        draw(of.draw_of(id)) {}

  Process& process;
  Locks& locks;
  int number;
  LockKind kind;
  std::string lock;
  Draw draw;
};

// Does the same as use() of the coroutines.
template <class Lock>
void use(Worker& worker, Lock& lock, Share share) {
  Reporter& reporter = worker.process.reporter;
  const Zxid token = lock.fencing_token();
  const std::stop_token lost = lock.lost_token();
  worker.process.control.doing(worker.number, "use");
  // The lock may have been lost since the grant.
  if (lost.stop_requested()) return;
  const auto end = std::chrono::steady_clock::now() + holding_time(worker.kind, worker.draw);
  reporter.report(Kind::kEntered, worker.number, worker.lock, token, share);
  while (!lost.stop_requested()) {
    if (share == Share::kExclusive) {
      static_cast<void>(reporter.write(worker.number, worker.lock, token));
    }
    const bool enough = std::chrono::steady_clock::now() >= end || worker.process.control.pausing();
    if (enough && lock.state() != LockState::kSuspect) break;
    rest(kBetweenWrites);
  }
  reporter.report(Kind::kLeft, worker.number, worker.lock, token, share);
  worker.process.control.doing(worker.number, "release");
}

// Usually without an end, sometimes with a deadline or without waiting.
template <class Lock>
bool take(Worker& worker, Lock& lock) {
  worker.process.control.doing(worker.number, "acquire");
  const std::uint64_t way = worker.draw.below(6);
  if (way == 0) return lock.try_lock();
  if (way <= 2) return lock.try_lock_for(patience(worker.draw));
  lock.lock();
  return true;
}

// Returns true if it has had the lock.
template <class Lock>
bool take_and_use(Worker& worker, Lock& lock) {
  if (!take(worker, lock)) return false;
  use(worker, lock, Share::kExclusive);
  lock.unlock();
  return true;
}

bool read_and_write(Worker& worker, blocking::ReadWriteLock& lock) {
  if (worker.draw.one_in(2)) return take_and_use(worker, lock);
  if (worker.draw.one_in(2)) {
    lock.lock_shared();
  } else if (!lock.try_lock_shared_for(patience(worker.draw))) {
    return false;
  }
  use(worker, lock, Share::kShared);
  lock.unlock_shared();
  return true;
}

bool take_lease(Worker& worker, blocking::Semaphore& semaphore) {
  if (worker.draw.one_in(2)) {
    semaphore.acquire();
  } else if (!semaphore.try_acquire_for(patience(worker.draw))) {
    return false;
  }
  rest(holding_time(worker.kind, worker.draw));
  semaphore.release();
  return true;
}

bool contend_once(Worker& worker) {
  switch (worker.kind) {
    case LockKind::kMutex: return take_and_use(worker, worker.locks.mutex);
    case LockKind::kReadWrite: return read_and_write(worker, worker.locks.read_write);
    case LockKind::kSemaphore: return take_lease(worker, worker.locks.semaphore);
    case LockKind::kRevocable: return take_and_use(worker, worker.locks.revocable);
    case LockKind::kElection: return take_and_use(worker, worker.locks.election);
    case LockKind::kUnfair: return take_and_use(worker, worker.locks.unfair);
  }
  return false;
}

void contend(Worker worker) {
  Control& control = worker.process.control;
  while (!control.quitting()) {
    if (control.begin(worker.number)) {
      try {
        if (contend_once(worker)) worker.process.reporter.served(worker.number);
      } catch (const std::system_error&) {
        // The session has ended during the wait: the observer's events tell why.
      }
      control.end(worker.number);
    }
    rest(control.pausing() ? kBetweenLooks : thinking_time(worker.draw));
  }
}

}  // namespace

void contend_with_threads(Process& process) {
  const Settings& settings = process.settings;
  std::optional<StallWatch> watch;
  const zookeeper::Options options(settings.servers, settings.session_timeout);
  const zookeeper::ClientThread zookeeper(options);
  watch.emplace(zookeeper.client().executor(), process.reporter);
  Locks locks(process, zookeeper.client());
  std::vector<std::jthread> threads;
  for (int i = 0; i < settings.workers; ++i) {
    threads.emplace_back(&contend, Worker(process, locks, i));
  }
}

}  // namespace lockstep::chaos
