// A program with threads locks these mutexes as it locks the standard library's:
//
//   lock_with_threads zk1:2181,zk2:2181,zk3:2181 [SECONDS]
//
// Each worker waits at most SECONDS, by default 30, for the connection, the retries and its turn.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <thread>
#include <vector>

#include "lockstep/blocking/mutex.h"
#include "lockstep/zookeeper/client_thread.h"

namespace {

class Worker {
 public:
  Worker(lockstep::blocking::FairMutex& mutex, std::chrono::seconds patience,
         std::atomic<bool>& failed)
      : mutex_(mutex), patience_(patience), failed_(failed) {}

  void run(int number) {
    try {
      const std::unique_lock lock(mutex_, patience_);
      if (lock) {
        work(number);
      } else {
        std::printf("worker %d: another worker had it all the time\n", number);
      }
    } catch (const std::system_error& error) {  // For example: no connection within the deadline.
      std::fprintf(stderr, "worker %d: %s\n", number, error.what());
      failed_ = true;
    }
  }

 private:
  // Passes the token to the protected resource, which refuses smaller ones, and stops as soon as
  // the lock is lost.
  void work(int number) {
    const std::stop_token lost = mutex_.lost_token();
    const long long token = mutex_.fencing_token();
    for (int step = 1; step <= 3 && !lost.stop_requested(); ++step) {
      std::printf("worker %d: step %d with token %lld\n", number, step, token);
    }
  }

  lockstep::blocking::FairMutex& mutex_;
  std::chrono::seconds patience_;
  std::atomic<bool>& failed_;
};

}  // namespace

int main(int argc, char** argv) {
  const int seconds = argc == 3 ? std::atoi(argv[2]) : 30;
  if (argc < 2 || argc > 3 || seconds <= 0) {
    std::fprintf(stderr, "usage: lock_with_threads HOST:PORT[,HOST:PORT...] [SECONDS]\n");
    return 2;
  }
  lockstep::zookeeper::ClientThread zookeeper{lockstep::zookeeper::Options(argv[1])};
  lockstep::blocking::FairMutex mutex(zookeeper.client(), "/locks/nightly");
  std::atomic<bool> failed = false;
  Worker worker(mutex, std::chrono::seconds(seconds), failed);
  std::vector<std::jthread> threads;
  for (int number = 1; number <= 4; ++number) {
    threads.emplace_back([&worker, number] { worker.run(number); });
  }
  threads.clear();  // Joins the threads.
  return failed ? 1 : 0;
}
