#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::support {

// Sockets on 127.0.0.1. The caller that gets a descriptor owns the socket; -1 is none.

// Listens on `port`; on a free one if it is 0.
[[nodiscard]] int listen_on(std::uint16_t port);
[[nodiscard]] std::uint16_t port_of(int socket);
[[nodiscard]] int connect_to(std::uint16_t port, std::chrono::milliseconds limit);
// The next connection that waits at `listener`.
[[nodiscard]] int accept_from(int listener);

// A port without a listener at the moment. Outside the range from which the kernel picks the local
// port of a connection: there, a connection attempt to a free port can meet itself.
[[nodiscard]] std::uint16_t free_port();

// A port that refuses connections until the end of this process: no other socket can listen there.
[[nodiscard]] std::uint16_t refusing_port();

// Sends one of ZooKeeper's four letter words; returns everything that came back within `limit`.
[[nodiscard]] std::string four_letter_word(std::uint16_t port, std::string_view word,
                                           std::chrono::milliseconds limit);

}  // namespace lockstep::support
