#pragma once

namespace lockstep::zookeeper {

// How many forks are between this process and its ancestor that called this first. An object made
// under another number belongs to an ancestor: its threads do not run here, its locks may stay
// locked, and its sockets are still the ancestor's.
[[nodiscard]] unsigned forks() noexcept;

}  // namespace lockstep::zookeeper
