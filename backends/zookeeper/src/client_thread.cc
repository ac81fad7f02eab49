#include "lockstep/zookeeper/client_thread.h"

#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "forks.h"
#include "lockstep/sleep.h"

namespace lockstep::zookeeper {

// On the heap, which a forked child keeps, unlike the stacks of its parent's threads.
class ClientThread::Loop {
 public:
  explicit Loop(const Options& options) : client(runtime, options) {}
  Runtime runtime;
  Client client;
};

ClientThread::ClientThread(Options options) : forks_(forks()) {
  std::promise<Client*> runs;
  std::future<Client*> running = runs.get_future();
  thread_ = std::jthread(
      [runs = std::move(runs), options = std::move(options)](const std::stop_token& stop) mutable {
        std::unique_ptr<Loop> loop;
        try {
          loop = std::make_unique<Loop>(options);
        } catch (...) {
          return runs.set_exception(std::current_exception());
        }
        loop->runtime.run(run_until_stopped(loop->runtime, loop->client, std::move(runs), stop));
      });
  client_ = running.get();
}

ClientThread::~ClientThread() {
  if (forks_ == forks()) return;
  // Never destroyed: a child cannot join its parent's threads.
  static auto& left = *new std::vector<std::jthread>;
  left.push_back(std::move(thread_));
}

Task<void> ClientThread::run_until_stopped(Runtime& runtime, Client& client,
                                           std::promise<Client*> runs, std::stop_token stop) {
  runs.set_value(&client);
  static_cast<void>(co_await sleep_until(runtime, TimePoint::max(), stop));
}

}  // namespace lockstep::zookeeper
