// The world of an example: the simulated ZooKeeper, in virtual time, or a real one.
#pragma once

#include <chrono>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "lockstep/client.h"
#include "lockstep/fake/simulation.h"
#include "lockstep/sleep.h"
#include "lockstep/task.h"
#if __has_include("lockstep/zookeeper/client.h")
#include "lockstep/zookeeper/client.h"
#define WITH_ZOOKEEPER 1
#endif

namespace worlds {

// A set of processes with one client each. Their tasks are destroyed before their clients.
class World {
 public:
  World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  virtual ~World() = default;

  // The client of the process with that name.
  virtual lockstep::Client& client(const std::string& name) = 0;
  virtual void start(const std::string& name, lockstep::Task<void> work) = 0;
  // Runs until all started tasks have ended.
  virtual void run() = 0;
};

class SimulatedWorld final : public World {
 public:
  ~SimulatedWorld() override { simulation_.end_tasks(); }
  lockstep::Client& client(const std::string& name) override { return simulation_.client(name); }
  void start(const std::string& name, lockstep::Task<void> work) override {
    simulation_.client(name).process().tasks().spawn(std::move(work));
  }
  void run() override { simulation_.run(); }

 private:
  lockstep::fake::Simulation simulation_;
};

#ifdef WITH_ZOOKEEPER
class RealWorld final : public World {
 public:
  explicit RealWorld(std::string servers) : options_(std::move(servers)) {}
  ~RealWorld() override { runtime_.drop_spawned(); }

  lockstep::Client& client(const std::string& name) override {
    const auto known = clients_.find(name);
    if (known != clients_.end()) return known->second;
    return clients_.try_emplace(name, runtime_, options_).first->second;
  }
  void start(const std::string&, lockstep::Task<void> work) override {
    runtime_.spawn(counted(std::move(work)));
  }
  void run() override { runtime_.run(until_all_have_ended()); }

 private:
  lockstep::Task<void> counted(lockstep::Task<void> work) {
    ++under_way_;
    co_await std::move(work);
    --under_way_;
  }
  lockstep::Task<void> until_all_have_ended() {
    while (under_way_ > 0) {
      static_cast<void>(co_await lockstep::sleep_for(runtime_, std::chrono::milliseconds(10)));
    }
  }

  lockstep::zookeeper::Runtime runtime_;
  lockstep::zookeeper::Options options_;
  std::map<std::string, lockstep::zookeeper::Client> clients_;
  int under_way_ = 0;
};
#endif

// Parses the command line; prints the usage on stderr and returns null if it is malformed.
inline std::unique_ptr<World> choose(int argc, char** argv) {
  if (argc == 1) return std::make_unique<SimulatedWorld>();
#ifdef WITH_ZOOKEEPER
  if (argc == 3 && std::string_view(argv[1]) == "--zookeeper") {
    return std::make_unique<RealWorld>(argv[2]);
  }
#endif
  std::fprintf(stderr, "usage: %s [--zookeeper HOST:PORT]\n", argv[0]);
  return nullptr;
}

// A session of that client, or null if there is no connection within ten seconds.
inline lockstep::Task<std::shared_ptr<lockstep::Session>> session_of(lockstep::Client& client) {
  const lockstep::Context patience(client.executor().now() + std::chrono::seconds(10));
  const auto session = co_await client.session(patience);
  if (!session) {
    const std::string why = client.last_failure();
    std::fprintf(stderr, "no session: %s (%s)\n", name(session.error()).data(), why.c_str());
  }
  co_return session ? *session : nullptr;
}

}  // namespace worlds
