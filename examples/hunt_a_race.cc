// Hunts a mutex of your own: this one is ZooKeeper's recipe, but does not handle a lost reply to
// its create.
#include <cstdio>
#include <utility>

#include "lockstep/lab/hunt.h"
#include "lockstep/turn.h"

using lockstep::Context;
using lockstep::Created;
using lockstep::CreateMode;
using lockstep::Data;
using lockstep::GrantRecord;
using lockstep::HeldLock;
using lockstep::kMutexMarks;
using lockstep::LockObserver;
using lockstep::LockQueue;
using lockstep::Path;
using lockstep::Patience;
using lockstep::Result;
using lockstep::Session;
using lockstep::Task;
using lockstep::Zxid;
namespace lab = lockstep::lab;

class MyMutex {
 public:
  MyMutex(Session& session, Path lock, LockObserver* observer)
      : session_(session), lock_(std::move(lock)), observer_(observer) {}

  Task<Result<HeldLock>> acquire() {
    const Created ours =
        co_await ok(session_.create(lock_ / "my-lock-", Data(), CreateMode::kEphemeralSequential));
    const LockQueue queue(session_, lock_, kMutexMarks, observer_);
    const Context endless;
    const Zxid seen = co_await ok(wait_in_queue(queue, ours.path, Patience::kWaits, endless));
    GrantRecord grant(session_.id(), lock_, ours.path, ours.stat.czxid, seen);
    co_return HeldLock(session_, std::move(grant), observer_);
  }

 private:
  Session& session_;
  Path lock_;
  LockObserver* observer_;
};

int main() {
  const lab::HuntReport report = lab::hunt_lock("my-mutex", &lab::contend_for<MyMutex>);
  std::fputs(report.text().c_str(), stdout);
  return report.passed() ? 0 : 1;
}
