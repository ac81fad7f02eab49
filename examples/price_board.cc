// The flash sale with spectators: 16 readers look at a price and a stock that belong together,
// while 2 writers change both. Readers share the lock; a writer holds it alone.
//
//   price_board [--zookeeper HOST:PORT]
//
// No reader ever sees the price of one offer with the stock of another, and readers read
// concurrently.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "lockstep/read_write_lock.h"
#include "lockstep/sleep.h"
#include "worlds.h"

namespace {

using namespace std::chrono_literals;
using lockstep::Client;
using lockstep::CreateMode;
using lockstep::Data;
using lockstep::DataAndStat;
using lockstep::HeldLock;
using lockstep::Path;
using lockstep::ReadWriteLock;
using lockstep::Result;
using lockstep::Task;

constexpr int kReaders = 16;
constexpr int kWriters = 2;
constexpr int kRounds = 3;
const Path kLock("/board-lock");
const Path kPrice("/price");
const Path kStock("/stock-of-price");

class Board {
 public:
  int looks = 0;
  int torn = 0;  // Readers that saw the price of one offer with the stock of another.
  int most_readers = 0;

  Task<void> set_up(Client& client) {
    const auto session = co_await worlds::session_of(client);
    if (!session) co_return;
    static_cast<void>(co_await session->create(kPrice, "0", CreateMode::kPersistent));
    static_cast<void>(co_await session->create(kStock, "0", CreateMode::kPersistent));
    static_cast<void>(co_await session->set_data(kPrice, "0"));
    static_cast<void>(co_await session->set_data(kStock, "0"));
  }

  Task<void> write(Client& client, int writer) {
    const auto session = co_await worlds::session_of(client);
    if (!session) co_return;
    ReadWriteLock lock(*session, kLock);
    for (int round = 1; round <= kRounds; ++round) {
      Result<HeldLock> held = co_await lock.acquire_write();
      if (!held) co_return;
      const Data offer(std::to_string(100 * writer + round));
      static_cast<void>(co_await session->set_data(kPrice, offer));
      static_cast<void>(co_await sleep_for(session->executor(), 20ms));
      static_cast<void>(co_await session->set_data(kStock, offer));
      static_cast<void>(co_await held->release());
    }
  }

  Task<void> read(Client& client) {
    const auto session = co_await worlds::session_of(client);
    if (!session) co_return;
    ReadWriteLock lock(*session, kLock);
    for (int round = 1; round <= kRounds; ++round) {
      Result<HeldLock> held = co_await lock.acquire_read();
      if (!held) co_return;
      most_readers = std::max(most_readers, ++reading_);
      const Result<DataAndStat> price = co_await session->get_data(kPrice);
      static_cast<void>(co_await sleep_for(session->executor(), 10ms));
      const Result<DataAndStat> stock = co_await session->get_data(kStock);
      --reading_;
      ++looks;
      if (!price || !stock || price->data != stock->data) ++torn;
      static_cast<void>(co_await held->release());
    }
  }

 private:
  int reading_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::unique_ptr<worlds::World> world = worlds::choose(argc, argv);
  if (!world) return 2;
  Board board;
  world->start("shop", board.set_up(world->client("shop")));
  world->run();
  for (int writer = 1; writer <= kWriters; ++writer) {
    const std::string name = "writer " + std::to_string(writer);
    world->start(name, board.write(world->client(name), writer));
  }
  for (int reader = 1; reader <= kReaders; ++reader) {
    const std::string name = "reader " + std::to_string(reader);
    world->start(name, board.read(world->client(name)));
  }
  world->run();
  std::printf("%d looks at the board, %d of them torn; up to %d readers at a time\n", board.looks,
              board.torn, board.most_readers);
  return board.looks == kReaders * kRounds && board.torn == 0 && board.most_readers > 1 ? 0 : 1;
}
