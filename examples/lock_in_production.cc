// Holds a lock on a real ensemble for as long as it is safe:
//
//   lock_in_production zk1:2181,zk2:2181,zk3:2181
//
// The exit status tells cron whether the work was done: 0, or 1 without the lock.
#include <cstdio>
#include <string>

#include "lockstep/fair_mutex.h"
#include "lockstep/lock_failure.h"
#include "lockstep/zookeeper/client.h"

using lockstep::Client;
using lockstep::Context;
using lockstep::FairMutex;
using lockstep::HeldLock;
using lockstep::Path;
using lockstep::Result;
using lockstep::Task;
using namespace std::chrono_literals;

Task<void> nightly_job(Client& client, bool& done) {
  const Context patience(client.executor().now() + 30s);  // One deadline for all steps.
  const Path lock("/locks/nightly");
  const auto session = co_await client.session(patience);
  if (!session) {
    std::fprintf(stderr, "no session: %s\n", describe(session.error(), lock, client).c_str());
    co_return;
  }
  FairMutex mutex(**session, lock);
  Result<HeldLock> held = co_await mutex.acquire(patience);
  if (!held) {
    std::fprintf(stderr, "no lock: %s\n", describe(held.error(), lock, client).c_str());
    co_return;
  }
  // Stop when lost_token() is stopped: that happens before another contender can hold the lock,
  // even in a partition. It does not protect against a paused process: pass the token to the
  // protected resource, which refuses smaller ones.
  std::printf("working with token %lld\n", static_cast<long long>(held->fencing_token()));
  static_cast<void>(co_await held->release());
  done = true;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: lock_in_production HOST:PORT[,HOST:PORT...]\n");
    return 2;
  }
  lockstep::zookeeper::Runtime runtime;
  lockstep::zookeeper::Client client(runtime, lockstep::zookeeper::Options(argv[1]));
  bool done = false;
  runtime.run(nightly_job(client, done));
  return done ? 0 : 1;
}
