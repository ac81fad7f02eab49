#include "lockstep/zookeeper/client_thread.h"

#include <utility>

#include "lockstep/sleep.h"

namespace lockstep::zookeeper {

ClientThread::ClientThread(Options options) {
  std::promise<Client*> runs;
  std::future<Client*> running = runs.get_future();
  thread_ = std::jthread(
      [runs = std::move(runs), options = std::move(options)](const std::stop_token& stop) mutable {
        Runtime runtime;
        Client client(runtime, options);
        runtime.run(run_until_stopped(runtime, client, std::move(runs), stop));
      });
  client_ = running.get();
}

Task<void> ClientThread::run_until_stopped(Runtime& runtime, Client& client,
                                           std::promise<Client*> runs, std::stop_token stop) {
  runs.set_value(&client);
  static_cast<void>(co_await sleep_until(runtime, TimePoint::max(), stop));
}

}  // namespace lockstep::zookeeper
