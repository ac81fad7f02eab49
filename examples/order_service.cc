// An order service. Placing an order takes the stock's lock, and so does the deduction that it
// calls: the lock is recursive. Each order waits for three seconds at most.
//
//   order_service [--zookeeper HOST:PORT]
//
// Three shops sell the same five items. An inventory holds the lock for four seconds: earlier
// orders time out and report it, later ones are served.
#include <cstdio>
#include <memory>
#include <string>

#include "lockstep/recursive_mutex.h"
#include "lockstep/sleep.h"
#include "worlds.h"

namespace {

using namespace std::chrono_literals;
using lockstep::Client;
using lockstep::Context;
using lockstep::Duration;
using lockstep::Error;
using lockstep::FairMutex;
using lockstep::HeldLock;
using lockstep::LockOwner;
using lockstep::Path;
using lockstep::RecursiveMutex;
using lockstep::Result;
using lockstep::Session;
using lockstep::Task;

const Path kLock("/stock-lock");
constexpr Duration kPatience = 3s;

struct Stock {
  int items = 5;
  int orders = 0;
  int timeouts = 0;
};

// One order is one owner of the lock, however deep its calls nest.
class Shop {
 public:
  Shop(Session& session, Stock& stock) : stock_(stock), mutex_(session, kLock), session_(session) {}

  Task<Result<void>> place_order() {
    const Context patience(session_.executor().now() + kPatience);
    auto hold = co_await ok(mutex_.acquire(LockOwner(this), patience));
    if (stock_.items > 0) co_await ok(deduct(1, patience));
    static_cast<void>(co_await hold.release());
    co_return Result<void>();
  }

 private:
  // Other functions call this too, so it takes the lock itself.
  Task<Result<void>> deduct(int items, Context patience) {
    auto hold = co_await ok(mutex_.acquire(LockOwner(this), patience));
    stock_.items -= items;
    ++stock_.orders;
    static_cast<void>(co_await hold.release());
    co_return Result<void>();
  }

  Stock& stock_;
  RecursiveMutex mutex_;
  Session& session_;
};

Task<void> sell(Client& client, Stock& stock) {
  const auto session = co_await worlds::session_of(client);
  if (!session) co_return;
  static_cast<void>(co_await sleep_for(client.executor(), 500ms));
  Shop shop(*session, stock);
  for (int order = 0; order < 3; ++order) {
    const Result<void> placed = co_await shop.place_order();
    if (!placed && placed.error() == Error::kTimedOut) ++stock.timeouts;
  }
}

Task<void> take_inventory(Client& client) {
  const auto session = co_await worlds::session_of(client);
  if (!session) co_return;
  FairMutex mutex(*session, kLock);
  Result<HeldLock> held = co_await mutex.acquire();
  if (!held) co_return;
  static_cast<void>(co_await sleep_for(client.executor(), 4s));
  static_cast<void>(co_await held->release());
}

}  // namespace

int main(int argc, char** argv) {
  const std::unique_ptr<worlds::World> world = worlds::choose(argc, argv);
  if (!world) return 2;
  Stock stock;
  world->start("inventory", take_inventory(world->client("inventory")));
  for (const char* const name : {"shop 1", "shop 2", "shop 3"}) {
    world->start(name, sell(world->client(name), stock));
  }
  world->run();
  std::printf("%d orders, %d items left, %d timeouts\n", stock.orders, stock.items, stock.timeouts);
  return stock.items == 0 && stock.orders == 5 && stock.timeouts == 3 ? 0 : 1;
}
