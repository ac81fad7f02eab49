// A flash sale: 3 items and 99 buyers, served by 8 workers with a session each. A buyer waits
// for the lock for at most 200 ms.
//
//   flash_sale [--zookeeper HOST:PORT]
//
// With the lock, exactly three items are sold. The naive way, which reads the stock, waits, and
// writes the remaining number, sells items that do not exist.
#include <cstdio>
#include <memory>
#include <string>

#include "lockstep/fair_mutex.h"
#include "lockstep/sleep.h"
#include "worlds.h"

namespace {

using namespace std::chrono_literals;
using lockstep::Client;
using lockstep::Context;
using lockstep::CreateMode;
using lockstep::Data;
using lockstep::DataAndStat;
using lockstep::FairMutex;
using lockstep::HeldLock;
using lockstep::Path;
using lockstep::Result;
using lockstep::Session;
using lockstep::Stat;
using lockstep::Task;

constexpr int kItems = 3;
constexpr int kBuyers = 99;
constexpr int kWorkers = 8;

class Sale {
 public:
  Sale(worlds::World& world, Path stock, bool locked)
      : world_(world), stock_(std::move(stock)), locked_(locked) {}

  // Puts the items up for sale, starts the workers, and waits for them.
  void hold() {
    world_.start("shop", open(world_.client("shop")));
    world_.run();
    for (int worker = 1; worker <= kWorkers; ++worker) {
      const std::string name = "worker " + std::to_string(worker);
      world_.start(name, serve(world_.client(name)));
    }
    world_.run();
  }

  int sold = 0;
  int too_late = 0;  // The items were sold out.
  int gave_up = 0;   // The lock could not be acquired in time.

 private:
  Task<void> open(Client& client) {
    const auto session = co_await worlds::session_of(client);
    if (!session) co_return;
    const Data items(std::to_string(kItems));
    const auto created = co_await session->create(stock_, items, CreateMode::kPersistent);
    if (!created) static_cast<void>(co_await session->set_data(stock_, items));
  }

  Task<void> serve(Client& client) {
    const auto session = co_await worlds::session_of(client);
    if (!session) co_return;
    while (next_buyer_ < kBuyers) {
      ++next_buyer_;
      if (locked_) {
        co_await buy_locked(*session);
      } else {
        co_await buy(*session);
      }
    }
  }

  Task<void> buy_locked(Session& session) {
    FairMutex mutex(session, Path("/flash-sale"));
    const Context patience(session.executor().now() + 200ms);
    Result<HeldLock> held = co_await mutex.acquire(patience);
    if (!held) {
      ++gave_up;
      co_return;
    }
    co_await buy(session);
    static_cast<void>(co_await held->release());
  }

  Task<void> buy(Session& session) {
    const Result<DataAndStat> stock = co_await session.get_data(stock_);
    if (!stock) co_return;
    const int left = std::stoi(std::string(stock->data.view()));
    if (left == 0) {
      ++too_late;
      co_return;
    }
    static_cast<void>(co_await sleep_for(session.executor(), 50ms));  // Charges the credit card.
    const Data fewer(std::to_string(left - 1));
    const Result<Stat> written = co_await session.set_data(stock_, fewer);
    if (written) ++sold;
  }

  worlds::World& world_;
  Path stock_;
  bool locked_;
  int next_buyer_ = 0;
};

void report(const char* how, const Sale& sale) {
  std::printf("%-14s %2d sold of %d, %2d too late, %2d gave up waiting\n", how, sale.sold, kItems,
              sale.too_late, sale.gave_up);
}

}  // namespace

int main(int argc, char** argv) {
  const std::unique_ptr<worlds::World> world = worlds::choose(argc, argv);
  if (!world) return 2;
  Sale locked(*world, Path("/stock"), true);
  locked.hold();
  report("with the lock:", locked);
  Sale naive(*world, Path("/naive-stock"), false);
  naive.hold();
  report("without:", naive);
  return locked.sold == kItems && naive.sold > kItems ? 0 : 1;
}
