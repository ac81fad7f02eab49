// Ten visitors of a ticket window: first come, first served, two seconds each.
//
//   ticket_queue                           on the simulated ZooKeeper: done at once, in virtual
//   time ticket_queue --zookeeper HOST:PORT     on a real one: twenty seconds, the same order
//
// Each visitor is a process of its own, with its own session. The recipe is the same object code.
#include <array>
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "lockstep/fair_mutex.h"
#include "lockstep/fake/simulation.h"
#include "lockstep/sleep.h"
#if __has_include("lockstep/zookeeper/client.h")
#include "lockstep/zookeeper/client.h"
#define WITH_ZOOKEEPER 1
#endif

namespace {

using namespace std::chrono_literals;
using namespace lockstep;

constexpr int kVisitors = 10;
constexpr Duration kPatience = 10s;  // For a connection.

// Where the visitors live: simulated, or real.
class Town {
 public:
  virtual ~Town() = default;
  virtual Client& visitor(int number) = 0;
  virtual void start(int number, Task<void> visit) = 0;
  virtual void run() = 0;
};

class Queue final : public LockObserver {
 public:
  explicit Queue(Town& town) : town_(town) {}

  void admit_next() {
    if (admitted_ == kVisitors) return;
    const int number = ++admitted_;
    town_.start(number, visit(town_.visitor(number), number));
  }
  [[nodiscard]] int served() const { return served_; }

 private:
  // A visitor has taken a ticket: the next one may come in.
  void place_reserved(SessionId, const Path&, const Path&) override { admit_next(); }

  Task<void> visit(Client& client, int number) {
    Executor& executor = client.executor();
    const auto session = co_await client.session(Context(executor.now() + kPatience));
    if (!session) {
      std::fprintf(stderr, "visitor %d: no session: %s\n", number, name(session.error()).data());
      co_return;
    }
    FairMutex window(**session, "/ticket-window", this);
    Result<HeldLock> turn = co_await window.acquire();
    if (!turn) {
      std::fprintf(stderr, "visitor %d: no turn: %s\n", number, name(turn.error()).data());
      co_return;
    }
    if (served_ == 0) opened_ = executor.now();
    const std::chrono::duration<double> waited = executor.now() - opened_;
    std::printf("%4.0f s  visitor %2d is served\n", waited.count(), number);
    std::fflush(stdout);
    static_cast<void>(co_await sleep_for(executor, 2s));
    ++served_;
    static_cast<void>(co_await turn->release());
    static_cast<void>(co_await (*session)->close());
  }

  Town& town_;
  int admitted_ = 0;
  int served_ = 0;
  TimePoint opened_{};
};

class SimulatedTown final : public Town {
 public:
  Client& visitor(int number) override { return simulation_.client(std::to_string(number)); }
  void start(int number, Task<void> visit) override {
    simulation_.client(std::to_string(number)).process().tasks().spawn(std::move(visit));
  }
  void run() override { simulation_.run(); }

 private:
  fake::Simulation simulation_;
};

#ifdef WITH_ZOOKEEPER
class RealTown final : public Town {
 public:
  explicit RealTown(std::string servers) : options_(std::move(servers)) {}
  ~RealTown() override { runtime_.drop_spawned(); }

  Client& visitor(int) override { return clients_.emplace_back(runtime_, options_); }
  void start(int, Task<void> visit) override { runtime_.spawn(counted(std::move(visit))); }
  void run() override { runtime_.run(until_all_have_left()); }

 private:
  Task<void> counted(Task<void> visit) {
    ++inside_;
    co_await std::move(visit);
    --inside_;
  }
  Task<void> until_all_have_left() {
    while (inside_ > 0) static_cast<void>(co_await sleep_for(runtime_, 10ms));
  }

  zookeeper::Runtime runtime_;
  zookeeper::Options options_;
  std::deque<zookeeper::Client> clients_;
  int inside_ = 0;
};
#endif

std::unique_ptr<Town> choose_town(int argc, char** argv) {
  if (argc == 1) return std::make_unique<SimulatedTown>();
#ifdef WITH_ZOOKEEPER
  if (argc == 3 && std::string_view(argv[1]) == "--zookeeper") {
    return std::make_unique<RealTown>(argv[2]);
  }
#else
  static_cast<void>(argv);
#endif
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  const std::unique_ptr<Town> town = choose_town(argc, argv);
  if (!town) {
    std::fprintf(stderr, "usage: ticket_queue [--zookeeper HOST:PORT]\n");
    return 2;
  }
  Queue queue(*town);
  queue.admit_next();
  town->run();
  return queue.served() == kVisitors ? 0 : 2;
}
