// order_desk EXECUTIONS: hunts clerks who take orders from a desk and write each into ZooKeeper,
// one at a time, and prints the trace hash. The code uses everything that the standard library has
// for threads, and the clerks write times and random numbers, so that the hash depends on them.
#include <zookeeper/zookeeper.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <future>
#include <latch>
#include <mutex>
#include <random>
#include <semaphore>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "lockstep/threads/hunt_threads.h"
#include "lockstep/threads/inside.h"

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// The orders that no clerk has taken.
class Desk {
 public:
  void put(int order) {
    const std::lock_guard lock(mutex_);
    orders_.push_back(order);
    came_.notify_one();
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    came_.notify_all();
  }
  // 0 if it is closed.
  int take() {
    std::unique_lock lock(mutex_);
    while (orders_.empty() && !closed_) came_.wait_for(lock, milliseconds(40));
    if (orders_.empty()) return 0;
    const int order = orders_.front();
    orders_.pop_front();
    return order;
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<int> orders_;
  bool closed_ = false;
};

// All clerks of one desk share it.
struct Shop {
  const steady_clock::time_point began = steady_clock::now();
  Desk desk;
  std::latch doors{3};
  std::counting_semaphore<2> pens{2};
  std::shared_mutex ledger_mutex;
  std::string ledger;
  std::once_flag opened;
  std::atomic<int> done = 0;
};

class Connection {
 public:
  Connection() : handle_(zookeeper_init("zk.example:2181", &tell, 10'000, nullptr, this, 0)) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_made_; });
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { zookeeper_close(handle_); }
  [[nodiscard]] zhandle_t* handle() const { return handle_; }

 private:
  static void tell(zhandle_t*, int type, int state, const char*, void* context) {
    auto& self = *static_cast<Connection*>(context);
    if (type != ZOO_SESSION_EVENT || state != ZOO_CONNECTED_STATE) return;
    const std::lock_guard lock(self.mutex_);
    self.is_made_ = true;
    self.changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_made_ = false;
  zhandle_t* handle_;  // The last one: its threads use the others.
};

void be_told(int error, const struct Stat*, const void* promise) {
  static_cast<std::promise<int>*>(const_cast<void*>(promise))->set_value(error);
}

std::string entry_of(const Shop& shop, int order) {
  thread_local int orders_of_this_clerk = 0;
  std::random_device chance;
  const auto since = std::chrono::duration_cast<milliseconds>(steady_clock::now() - shop.began);
  std::string entry = std::to_string(order);
  entry += ' ' + std::to_string(++orders_of_this_clerk);
  entry += ' ' + std::to_string(since.count());
  entry += ' ' + std::to_string(chance());
  return entry;
}

void write_down(Shop& shop, const Connection& connection, int order) {
  shop.pens.acquire();
  std::array<char, 64> own{};
  const std::string entry = entry_of(shop, order);
  zoo_create(connection.handle(), "/orders/o-", entry.data(), static_cast<int>(entry.size()),
             &ZOO_OPEN_ACL_UNSAFE, ZOO_SEQUENCE, own.data(), own.size());
  {
    const std::unique_lock lock(shop.ledger_mutex);
    shop.ledger += entry + ';';
  }
  std::promise<int> answer;
  const std::string ledger = [&] {
    const std::shared_lock lock(shop.ledger_mutex);
    return shop.ledger;
  }();
  const int sent = zoo_aset(connection.handle(), "/orders", ledger.data(),
                            static_cast<int>(ledger.size()), -1, &be_told, &answer);
  if (sent == ZOK) static_cast<void>(answer.get_future().get());
  shop.pens.release();
  ++shop.done;
  shop.done.notify_all();
}

void work(Shop& shop) {
  const Connection connection;
  shop.doors.arrive_and_wait();
  std::call_once(shop.opened, [&] {
    zoo_create(connection.handle(), "/orders", "", 0, &ZOO_OPEN_ACL_UNSAFE, 0, nullptr, 0);
  });
  while (const int order = shop.desk.take()) write_down(shop, connection, order);
}

void open_shop() {
  constexpr int kOrders = 4;
  Shop shop;
  {
    std::vector<std::jthread> clerks;
    for (int i = 0; i < 2; ++i) clerks.emplace_back([&shop] { work(shop); });
    shop.doors.arrive_and_wait();
    for (int order = 1; order <= kOrders; ++order) {
      shop.desk.put(order);
      std::this_thread::sleep_for(milliseconds(order * 15));
    }
    for (int done = 0; (done = shop.done) < kOrders;) shop.done.wait(done);
    shop.desk.close();
  }
  if (shop.done != kOrders) lockstep::threads::violated("lost", "an order is lost");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  lockstep::lab::HuntSettings settings;
  settings.executions = std::strtoull(argv[1], nullptr, 10);
  settings.seed = 7;
  settings.faults = lockstep::lab::faults_called("cut,timer,clock-drift", 2);
  const auto report = lockstep::threads::hunt_threads("order-desk", &open_shop, settings);
  if (!report.passed()) {
    std::fputs(report.text().c_str(), stderr);
    return 1;
  }
  std::printf("%016llx\n", static_cast<unsigned long long>(report.trace_hash));
  return 0;
}
