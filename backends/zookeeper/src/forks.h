#pragma once

namespace lockstep::zookeeper {

// The number of forks between this process and the ancestor that first called this. An object that
// was created under another number belongs to an ancestor: its threads do not run here, its locks
// may stay locked, and its sockets are still the ancestor's.
[[nodiscard]] unsigned forks() noexcept;

}  // namespace lockstep::zookeeper
