#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::support {

// Sockets on 127.0.0.1. The caller owns each returned descriptor; -1 is none.

// Listens on `port`; on a free one if it is 0.
[[nodiscard]] int listen_on(std::uint16_t port);
[[nodiscard]] std::uint16_t port_of(int socket);
[[nodiscard]] int connect_to(std::uint16_t port, std::chrono::milliseconds limit);
// The next connection that waits at `listener`.
[[nodiscard]] int accept_from(int listener);

// A port without a listener at the moment. It is outside the range of the local ports that the
// kernel picks for connections: inside, a connection attempt to a free port could meet itself.
// Throws std::system_error if this process can open no socket, as does refusing_port().
[[nodiscard]] std::uint16_t free_port();

// A port that refuses connections until the end of this process: no other socket can listen there.
[[nodiscard]] std::uint16_t refusing_port();

// Sends one of ZooKeeper's four letter words; returns all that came back within `limit`.
[[nodiscard]] std::string four_letter_word(std::uint16_t port, std::string_view word,
                                           std::chrono::milliseconds limit);

}  // namespace lockstep::support
