// race: hunts clients that count without a mutex how often the lock was taken, for ThreadSanitizer.
// Two of them do so at the same time only in some orders.
#include <zookeeper/zookeeper.h>

#include <cstdio>
#include <latch>
#include <mutex>
#include <thread>

#include "lockstep/threads/hunt_threads.h"

namespace {

void ignore(zhandle_t*, int, int, const char*, void*) {}

struct Counts {
  std::latch begin{2};
  std::mutex mutex;
  int granted = 0;
  int refused = 0;
};

void try_lock(Counts& counts) {
  zhandle_t* const handle = zookeeper_init("zk.example:2181", &ignore, 10'000, nullptr, nullptr, 0);
  counts.begin.arrive_and_wait();
  for (int i = 0; i < 2; ++i) {
    const int error =
        zoo_create(handle, "/lock", "", 0, &ZOO_OPEN_ACL_UNSAFE, ZOO_EPHEMERAL, nullptr, 0);
    if (error == ZNODEEXISTS) ++counts.refused;  // The race.
    if (error != ZOK) continue;
    {
      const std::lock_guard lock(counts.mutex);
      ++counts.granted;
    }
    zoo_delete(handle, "/lock", -1);
  }
  zookeeper_close(handle);
}

void two_clients() {
  Counts counts;
  std::thread a([&] { try_lock(counts); });
  std::thread b([&] { try_lock(counts); });
  a.join();
  b.join();
}

}  // namespace

int main() {
  lockstep::lab::HuntSettings settings;
  settings.executions = 1'000;
  settings.seed = 7;
  const auto report = lockstep::threads::hunt_threads("race", &two_clients, settings);
  std::puts(report.text().c_str());
}
