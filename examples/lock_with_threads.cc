// A program that has threads of its own, and takes its locks as it takes the standard library's:
//
//   lock_with_threads zk1:2181,zk2:2181,zk3:2181
#include <cstdio>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "lockstep/blocking/mutex.h"
#include "lockstep/zookeeper/client_thread.h"

using namespace lockstep;
using namespace std::chrono_literals;

namespace {

void work(blocking::FairMutex& mutex, int number) {
  try {
    const std::unique_lock lock(mutex, 30s);  // For the connection, the retries and the wait.
    if (!lock) {
      std::printf("worker %d: somebody else had it all the time\n", number);
      return;
    }
    std::printf("worker %d: working with token %lld\n", number,
                static_cast<long long>(mutex.fencing_token()));
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "worker %d: %s\n", number, error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: lock_with_threads HOST:PORT[,HOST:PORT...]\n");
    return 2;
  }
  zookeeper::ClientThread zookeeper{zookeeper::Options(argv[1])};
  blocking::FairMutex mutex(zookeeper.client(), "/locks/nightly");
  std::vector<std::jthread> workers;
  for (int number = 1; number <= 4; ++number) workers.emplace_back(work, std::ref(mutex), number);
}
