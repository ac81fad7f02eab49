// A writer that survives its own pause. It takes the lock, and is paused for so long that another
// writer gets it (here an operator deletes the znode, as the end of its session would). Then it
// goes on, and believes that it still holds the lock.
//
//   fenced_writer [--zookeeper HOST:PORT]
//
// The careless write destroys the new holder's data. The careful one asks ZooKeeper, in the same
// transaction, whether the lock is still held: it is refused, and nothing is lost.
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "lockstep/fair_mutex.h"
#include "lockstep/sleep.h"
#include "lockstep/transaction.h"
#include "worlds.h"

namespace {

using namespace std::chrono_literals;
using lockstep::Client;
using lockstep::CreateMode;
using lockstep::Data;
using lockstep::DataAndStat;
using lockstep::FairMutex;
using lockstep::HeldLock;
using lockstep::Path;
using lockstep::Result;
using lockstep::Session;
using lockstep::Task;
using lockstep::Transaction;

const Path kLock("/writers");

enum class Care { kNone, kCheck };

Task<Result<void>> write(Session& session, Path file, std::string text, const HeldLock& held,
                         Care care) {
  Transaction transaction = Transaction().set_data(file, Data(text));
  if (care == Care::kCheck) transaction.add(held.check());
  const auto written = co_await session.multi(std::move(transaction));
  if (!written) co_return failure(written.error().error);
  co_return Result<void>();
}

class Story {
 public:
  Story(worlds::World& world, Path file, Care care)
      : world_(world), file_(std::move(file)), care_(care) {}

  std::string tell() {
    world_.start("first", first(world_.client("first")));
    world_.run();
    return left_;
  }

 private:
  Task<void> first(Client& client) {
    const auto session = co_await worlds::session_of(client);
    if (!session) co_return;
    static_cast<void>(co_await session->create(file_, Data(), CreateMode::kPersistent));
    FairMutex mutex(*session, kLock);
    Result<HeldLock> held = co_await mutex.acquire();
    if (!held) co_return;
    // The first writer is paused and does not notice.
    co_await second(world_.client("second"), held->znode());
    const auto written = co_await write(*session, file_, "by the first", *held, care_);
    if (!written) std::printf("the late write is refused: %s\n", name(written.error()).data());
    const Result<DataAndStat> read = co_await session->get_data(file_);
    if (read) left_ = std::string(read->data.view());
  }

  Task<void> second(Client& client, Path of_first) {
    const auto session = co_await worlds::session_of(client);
    if (!session) co_return;
    static_cast<void>(co_await session->remove(of_first));
    FairMutex mutex(*session, kLock);
    Result<HeldLock> held = co_await mutex.acquire();
    if (!held) co_return;
    static_cast<void>(co_await write(*session, file_, "by the second", *held, care_));
    static_cast<void>(co_await held->release());
  }

  worlds::World& world_;
  Path file_;
  Care care_;
  std::string left_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::unique_ptr<worlds::World> world = worlds::choose(argc, argv);
  if (!world) return 2;
  const std::string careless = Story(*world, Path("/careless"), Care::kNone).tell();
  const std::string careful = Story(*world, Path("/careful"), Care::kCheck).tell();
  std::printf("careless: what is left was written %s\n", careless.c_str());
  std::printf("careful:  what is left was written %s\n", careful.c_str());
  return careless == "by the first" && careful == "by the second" ? 0 : 1;
}
