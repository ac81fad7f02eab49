#pragma once

#include <chrono>
#include <cstdint>

#include "lockstep/clock.h"
#include "lockstep/fakezk/txn.h"

namespace lockstep::fakezk {

// How the simulated servers are configured.
struct ServerOptions {
  Duration tick_time = std::chrono::seconds(2);  // zoo.cfg's tickTime
  Duration min_session_timeout{};                // minSessionTimeout; zero: two ticks
  Duration max_session_timeout{};                // maxSessionTimeout; zero: twenty ticks
  ReplicaIndex replicas = 1;                     // 1: a standalone server.
  std::uint32_t sync_limit_ticks = 5;            // How long a replica does without its leader.
  bool ttl_enabled = false;                      // extendedTypesEnabled
  // The id of the first session; later ones count on from there. A server that follows another one
  // begins elsewhere, lest a client of the old one take over a session of the new one.
  SessionId first_session = 0x100000000000001;
  std::uint64_t password_secret = 0xb3415c00;  // ZooKeeperServer.superSecret
  // znode.container.checkIntervalMs; zero: never.
  Duration container_check_interval = std::chrono::minutes(1);

  // Whether the servers look for containers and znodes whose time has come.
  [[nodiscard]] bool reaps() const { return container_check_interval != Duration::zero(); }
  [[nodiscard]] bool is_ensemble() const { return replicas > 1; }

  friend bool operator==(const ServerOptions&, const ServerOptions&) = default;
};

}  // namespace lockstep::fakezk
