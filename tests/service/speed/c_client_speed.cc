// c_client_speed HOST:PORT PARENT: measures the server at this address with ZooKeeper's C client,
// used as other programs use it. Prints the best of several rounds, two numbers on a line: cycles
// per second of a create, a list and a delete, one call after another; and creates per second in
// flight together. PARENT is a znode that does not exist yet.
#include <zookeeper/zookeeper.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>

namespace {

constexpr int kSessionTimeoutMs = 30'000;
constexpr int kRounds = 3;
constexpr int kCycles = 2'000;
constexpr int kCreates = 20'000;
constexpr int kMostInFlight = 1'000;
constexpr const char* kData = "data";
constexpr int kDataLength = 4;

void check(int rc, const char* what) {
  if (rc == ZOK) return;
  std::fprintf(stderr, "%s: %s\n", what, zerror(rc));
  std::exit(1);
}

// Requests without an answer so far.
class InFlight {
 public:
  void wait_for_room() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return count_ < kMostInFlight; });
    ++count_;
  }
  void wait_for_all() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return count_ == 0; });
  }
  // The completion for zoo_acreate.
  static void answered(int rc, const char* /*path*/, const void* self) {
    check(rc, "create");
    auto& all = *const_cast<InFlight*>(static_cast<const InFlight*>(self));
    const std::lock_guard lock(all.mutex_);
    --all.count_;
    // The requester sleeps until half of them are answered: one wakeup for many requests.
    if (all.count_ == kMostInFlight / 2 || all.count_ == 0) all.changed_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

class Client {
 public:
  explicit Client(const char* server)
      : handle_(zookeeper_init(server, &Client::event, kSessionTimeoutMs, nullptr, this, 0)) {
    if (!handle_) check(ZSYSTEMERROR, "zookeeper_init");
    std::unique_lock lock(mutex_);
    connected_.wait(lock, [this] { return is_connected_; });
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { zookeeper_close(handle_); }

  void create(const std::string& path) {
    check(
        zoo_create(handle_, path.c_str(), kData, kDataLength, &ZOO_OPEN_ACL_UNSAFE, 0, nullptr, 0),
        "create");
  }
  void cycles(const std::string& parent) {
    const std::string child = parent + "/a";
    for (int i = 0; i < kCycles; ++i) {
      create(child);
      String_vector children;
      check(zoo_get_children(handle_, parent.c_str(), 0, &children), "get_children");
      deallocate_String_vector(&children);
      check(zoo_delete(handle_, child.c_str(), -1), "delete");
    }
  }
  void creates(const std::string& parent) {
    InFlight in_flight;
    for (int i = 0; i < kCreates; ++i) {
      in_flight.wait_for_room();
      const std::string path = parent + "/" + std::to_string(i);
      check(zoo_acreate(handle_, path.c_str(), kData, kDataLength, &ZOO_OPEN_ACL_UNSAFE, 0,
                        &InFlight::answered, &in_flight),
            "create");
    }
    in_flight.wait_for_all();
  }

 private:
  static void event(zhandle_t* /*handle*/, int type, int state, const char* /*path*/, void* self) {
    if (type != ZOO_SESSION_EVENT || state != ZOO_CONNECTED_STATE) return;
    auto& client = *static_cast<Client*>(self);
    const std::lock_guard lock(client.mutex_);
    client.is_connected_ = true;
    client.connected_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable connected_;
  bool is_connected_ = false;
  zhandle_t* handle_;  // Last: its threads use the other members.
};

// Other programs disturb some rounds.
double best_per_second(int count, const std::function<void(int round)>& work) {
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    work(round);
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - start;
    best = std::max(best, count / gone.count());
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: c_client_speed HOST:PORT PARENT\n", stderr);
    return 2;
  }
  zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
  Client client(argv[1]);
  const std::string parent = argv[2];
  client.create(parent);
  const double cycles = best_per_second(kCycles, [&](int /*round*/) { client.cycles(parent); });
  const double creates = best_per_second(kCreates, [&](int round) {
    const std::string round_parent = parent + "/" + std::to_string(round);
    client.create(round_parent);
    client.creates(round_parent);
  });
  std::printf("%.0f %.0f\n", cycles, creates);
}
