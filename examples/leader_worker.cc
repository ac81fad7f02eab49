// Three workers, one of which leads: only the leader works. Each resigns after three pieces of
// work, and the candidate that has waited longest follows.
//
//   leader_worker [--zookeeper HOST:PORT]
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/leader_election.h"
#include "lockstep/sleep.h"
#include "worlds.h"

namespace {

using namespace std::chrono_literals;
using lockstep::Client;
using lockstep::Data;
using lockstep::HeldLock;
using lockstep::LeaderElection;
using lockstep::Path;
using lockstep::Result;
using lockstep::Task;
using lockstep::Zxid;

constexpr int kWorkers = 3;
constexpr int kPieces = 3;

struct Piece {
  std::string by;
  Zxid token;
};

Task<void> campaign_and_work(Client& client, std::string name, std::vector<Piece>& done) {
  const auto session = co_await worlds::session_of(client);
  if (!session) co_return;
  LeaderElection election(*session, Path("/leader"), Data(name));
  Result<HeldLock> leadership = co_await election.campaign();
  if (!leadership) co_return;
  const std::stop_token lost = leadership->lost_token();
  for (int piece = 0; piece < kPieces && !lost.stop_requested(); ++piece) {
    done.push_back({name, leadership->fencing_token()});
    std::printf("%s does piece %zu of the work\n", name.c_str(), done.size());
    static_cast<void>(co_await sleep_for(client.executor(), 100ms));
  }
  static_cast<void>(co_await leadership->release());
}

}  // namespace

int main(int argc, char** argv) {
  const std::unique_ptr<worlds::World> world = worlds::choose(argc, argv);
  if (!world) return 2;
  std::vector<Piece> done;
  for (int worker = 1; worker <= kWorkers; ++worker) {
    const std::string name = "worker " + std::to_string(worker);
    world->start(name, campaign_and_work(world->client(name), name, done));
  }
  world->run();
  bool in_order = done.size() == std::size_t{kWorkers} * kPieces;
  for (std::size_t i = 1; i < done.size(); ++i) {
    in_order = in_order && done[i - 1].token <= done[i].token;
    in_order = in_order && (done[i - 1].by == done[i].by) == (i % kPieces != 0);
  }
  return in_order ? 0 : 1;
}
