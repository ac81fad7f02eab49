// Ten workers, ten tasks each: every worker writes ten lines into one journal, and no other
// worker's lines may come between them.
//
//   ten_tasks [--zookeeper HOST:PORT]
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/fair_mutex.h"
#include "lockstep/sleep.h"
#include "worlds.h"

namespace {

using namespace std::chrono_literals;
using lockstep::Client;
using lockstep::FairMutex;
using lockstep::HeldLock;
using lockstep::Path;
using lockstep::Result;
using lockstep::Task;

constexpr int kWorkers = 10;
constexpr int kTasks = 10;

Task<void> work(Client& client, int worker, std::vector<int>& journal) {
  const auto session = co_await worlds::session_of(client);
  if (!session) co_return;
  FairMutex mutex(*session, Path("/journal"));
  Result<HeldLock> held = co_await mutex.acquire();
  if (!held) co_return;
  for (int task = 0; task < kTasks; ++task) {
    journal.push_back(worker);
    static_cast<void>(co_await sleep_for(client.executor(), 5ms));
  }
  static_cast<void>(co_await held->release());
}

}  // namespace

int main(int argc, char** argv) {
  const std::unique_ptr<worlds::World> world = worlds::choose(argc, argv);
  if (!world) return 2;
  std::vector<int> journal;
  for (int worker = 1; worker <= kWorkers; ++worker) {
    const std::string name = "worker " + std::to_string(worker);
    world->start(name, work(world->client(name), worker, journal));
  }
  world->run();
  int changes = 0;
  for (std::size_t line = 1; line < journal.size(); ++line) {
    if (journal[line] != journal[line - 1]) ++changes;
  }
  std::printf("%zu lines in the journal, the writer changed %d times\n", journal.size(), changes);
  return journal.size() == std::size_t{kWorkers} * kTasks && changes == kWorkers - 1 ? 0 : 1;
}
