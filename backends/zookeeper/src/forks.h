#pragma once

namespace lockstep::zookeeper {

// How many forks lie between this process and its ancestor that asked first. What was made in a
// process with another number belongs to an ancestor: its threads are not here, its locks may be
// held by them for ever, and its sockets are still the ancestor's.
[[nodiscard]] unsigned forks() noexcept;

}  // namespace lockstep::zookeeper
