#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

#include "lockstep/acl.h"

namespace lockstep {

// The kind of a new znode, with ZooKeeper's own flag values.
enum class CreateMode : std::uint8_t {
  kPersistent = 0,
  kEphemeral = 1,             // Deleted by the server when the session ends.
  kPersistentSequential = 2,  // The parent's counter is appended as ten digits.
  kEphemeralSequential = 3,
  kContainer = 4,  // Persistent; the server removes it some time after its last child has gone.
  // Persistent; the server removes it some time after its data has not been set for its time to
  // live, if it has no children then. Servers offer it only if configured (extendedTypesEnabled).
  kPersistentWithTtl = 5,
  kPersistentSequentialWithTtl = 6,
};

[[nodiscard]] constexpr bool is_sequential(CreateMode mode) {
  return mode == CreateMode::kPersistentSequential || mode == CreateMode::kEphemeralSequential ||
         mode == CreateMode::kPersistentSequentialWithTtl;
}
[[nodiscard]] constexpr bool is_ephemeral(CreateMode mode) {
  return mode == CreateMode::kEphemeral || mode == CreateMode::kEphemeralSequential;
}
[[nodiscard]] constexpr bool has_ttl(CreateMode mode) {
  return mode == CreateMode::kPersistentWithTtl || mode == CreateMode::kPersistentSequentialWithTtl;
}

// The properties of a new znode besides path and data. A mode converts; the ACL is then the
// default.
class Creation {
 public:
  Creation(CreateMode create_mode, Acl access = {})  // NOLINT: a mode is a way to create
      : mode(create_mode), acl(std::move(access)) {}
  // With a time to live; only for the modes that have one.
  Creation(CreateMode create_mode, std::chrono::milliseconds time_to_live, Acl access = {})
      : mode(create_mode), acl(std::move(access)), ttl(time_to_live) {}

  CreateMode mode;
  Acl acl;
  std::chrono::milliseconds ttl{};
};

}  // namespace lockstep
