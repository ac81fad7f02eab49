// Ten visitors of a ticket window: first come, first served, two seconds each.
//
//   ticket_queue                          on the simulated ZooKeeper: done at once, in virtual time
//   ticket_queue --zookeeper HOST:PORT    on a real one: twenty seconds, the same order
//
// Each visitor is a separate process with its own session. Both run the same recipe.
#include <cstdio>
#include <memory>
#include <string>

#include "lockstep/fair_mutex.h"
#include "lockstep/sleep.h"
#include "worlds.h"

namespace {

using namespace std::chrono_literals;
using lockstep::Client;
using lockstep::Executor;
using lockstep::FairMutex;
using lockstep::HeldLock;
using lockstep::LockObserver;
using lockstep::Path;
using lockstep::Result;
using lockstep::SessionId;
using lockstep::Task;
using lockstep::TimePoint;

constexpr int kVisitors = 10;

class Queue final : public LockObserver {
 public:
  explicit Queue(worlds::World& town) : town_(town) {}

  void admit_next() {
    if (admitted_ == kVisitors) return;
    const int number = ++admitted_;
    const std::string visitor = std::to_string(number);
    town_.start(visitor, visit(town_.client(visitor), number));
  }
  [[nodiscard]] int served() const { return served_; }

 private:
  // A visitor has taken a ticket: the next one may come in.
  void place_reserved(SessionId, const Path&, const Path&) override { admit_next(); }

  Task<void> visit(Client& client, int number) {
    Executor& executor = client.executor();
    const auto session = co_await worlds::session_of(client);
    if (!session) co_return;
    FairMutex window(*session, "/ticket-window", this);
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
    static_cast<void>(co_await session->close());
  }

  worlds::World& town_;
  int admitted_ = 0;
  int served_ = 0;
  TimePoint opened_{};
};

}  // namespace

int main(int argc, char** argv) {
  const std::unique_ptr<worlds::World> town = worlds::choose(argc, argv);
  if (!town) return 2;
  Queue queue(*town);
  queue.admit_next();
  town->run();
  return queue.served() == kVisitors ? 0 : 2;
}
