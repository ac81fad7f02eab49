#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interop/judge.h"
#include "interop/peer_process.h"
#include "lockstep/callback.h"
#include "lockstep/contenders.h"
#include "lockstep/held_lock.h"
#include "lockstep/task.h"
#include "lockstep/zookeeper/client.h"
#include "lockstep/zookeeper/runtime.h"
#include "real/tcp_proxy.h"
#include "real/zookeeper_server.h"

namespace lockstep::interop {

// Long enough that nothing expires during a test.
inline constexpr Duration kLongSessionTimeout = std::chrono::seconds(20);
// For sessions that must expire: short, but longer than a busy machine keeps a thread waiting.
inline constexpr Duration kShortSessionTimeout = std::chrono::seconds(1);

// Contenders of our library and of another one at a real server. A test is a coroutine, and its
// locks are children of parent().
class Fleet {
 public:
  // Throws std::runtime_error if the server does not start.
  explicit Fleet(Library others);
  ~Fleet() { runtime_.drop_spawned(); }
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  void run(Task<void> test);

  [[nodiscard]] Executor& executor() { return runtime_; }
  [[nodiscard]] PeerProcess& others() { return others_; }
  // The connection string of a contender of the other library, which has its own proxy.
  [[nodiscard]] std::string address_for(int other) { return proxy_for(other).address(); }
  [[nodiscard]] static Path parent() { return "/fleet"; }
  [[nodiscard]] static Path lock() { return parent() / "lock"; }
  [[nodiscard]] static Path witness() { return parent() / "witness"; }

  // A session of our library with its own proxy.
  Task<std::shared_ptr<Session>> open(Duration session_timeout = kLongSessionTimeout);
  // Ends a session on the server: ours, or the other library's.
  Task<void> kill(const Session& session);
  Task<void> kill(int other, zookeeper::Credentials credentials);
  // Isolates a session of ours until the server has expired it.
  Task<void> expire(const Session& session);

  // Waits a moment, for a condition that no message signals.
  Task<void> pause();
  // Waits until a session watches a contender of the lock on the server.
  Task<void> until_watching(zookeeper::Credentials credentials);

  // The judge's verdict on the server's history so far.
  [[nodiscard]] Verdict verdict(std::size_t leases = 1) const;

 private:
  struct Seat {
    std::unique_ptr<support::TcpProxy> proxy;
    std::unique_ptr<zookeeper::Client> client;
  };
  [[nodiscard]] const Seat& seat(const Session& session) const;
  [[nodiscard]] support::TcpProxy& proxy_for(int other);
  Task<void> kill(support::TcpProxy& proxy, zookeeper::Credentials credentials);
  Task<void> limit();
  Task<void> set_up(Task<void> test);

  support::ZookeeperServer server_;
  PeerProcess others_;
  zookeeper::Runtime runtime_;
  std::vector<Seat> seats_;
  std::map<int, std::unique_ptr<support::TcpProxy>> proxies_of_others_;
};

// A contender of the other library. The fleet outlives its tasks.
class Other {
 public:
  Other(Fleet& fleet, int number) : fleet_(&fleet), number_(number) {}

  void tell(std::string_view command) const { fleet_->others().tell(number_, command); }
  // Its next answer.
  Task<std::string> answer() const;
  Task<std::string> ask(std::string command) const;

  Task<zookeeper::Credentials> open(Duration session_timeout = kLongSessionTimeout) const;
  // Takes a lock ("mutex /lock") and enters. Throws if it does not get the lock.
  Task<void> hold(std::string recipe) const;
  // Waits for the grant that it was ordered to take, and enters.
  Task<void> enter() const;
  // Leaves and releases.
  Task<void> leave() const;
  // While it waits for a lock: returns when its session has the replies to everything sent so far.
  Task<void> round_trip() const { return expect("round-trip", "answered"); }

 private:
  Task<void> expect(std::string command, std::string expected) const;

  Fleet* fleet_;
  int number_;
};

// An acquire of ours in progress.
class Ours {
 public:
  explicit Ours(Task<Result<HeldLock>> acquire) {
    start(tasks_, std::move(acquire),
          [this](Result<HeldLock> got) { got_.emplace(std::move(got)); });
  }
  [[nodiscard]] bool done() const { return got_.has_value(); }
  // Waits for its result.
  Task<Result<HeldLock>> result(Fleet& fleet);

 private:
  std::optional<Result<HeldLock>> got_;
  TaskSet tasks_;
};

// The critical section of a contender of ours; leave() also releases.
Task<void> enter(Session& session, const HeldLock& held);
Task<ReleaseOutcome> leave(Session& session, HeldLock& held);

// Waits until a lock has that many contenders, which `list` returns.
template <class List>
Task<void> until_queue(Fleet& fleet, std::size_t size, List list) {
  for (;;) {
    const Result<std::vector<QueueEntry>> queue = co_await list();
    if (!queue) throw std::runtime_error("contenders: " + std::string(name(queue.error())));
    if (queue->size() == size) co_return;
    co_await fleet.pause();
  }
}

}  // namespace lockstep::interop
