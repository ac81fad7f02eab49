#pragma once

namespace lockstep {

// How a znode is created, with ZooKeeper's own flag values.
enum class CreateMode : int {
  kPersistent = 0,
  kEphemeral = 1,             // Deleted by the server when the session ends.
  kPersistentSequential = 2,  // The parent's counter is appended as ten digits.
  kEphemeralSequential = 3,
  kContainer = 4,  // Persistent; the server removes it some time after its last child has gone.
};

[[nodiscard]] constexpr bool is_sequential(CreateMode mode) {
  return mode == CreateMode::kPersistentSequential || mode == CreateMode::kEphemeralSequential;
}
[[nodiscard]] constexpr bool is_ephemeral(CreateMode mode) {
  return mode == CreateMode::kEphemeral || mode == CreateMode::kEphemeralSequential;
}

}  // namespace lockstep
