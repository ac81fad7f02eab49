#include "lockstep/zookeeper/options.h"

#include <charconv>
#include <limits>
#include <memory>
#include <string_view>

#include "client_path.h"

namespace lockstep::zookeeper {

namespace {

bool is_host_and_port(std::string_view server) {
  const std::size_t colon = server.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view digits = server.substr(colon + 1);
  const char* const end = std::to_address(digits.end());
  std::uint16_t port = 0;
  const auto [stopped, error] = std::from_chars(std::to_address(digits.begin()), end, port);
  return error == std::errc() && stopped == end && port != 0;
}

bool is_server_list(std::string_view servers) {
  // A space or a NUL would be taken for something else by the C client.
  constexpr std::string_view kForbidden(" \t\r\n\0", 5);
  if (servers.find_first_of(kForbidden) != std::string_view::npos) return false;
  for (;;) {
    const std::size_t comma = servers.find(',');
    if (!is_host_and_port(servers.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    servers.remove_prefix(comma + 1);
  }
}

}  // namespace

bool Options::well_formed() const {
  // The C client counts whole milliseconds in an int, and never connects with none.
  const auto session_timeout_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(session_timeout).count();
  return session_timeout_ms >= 1 && session_timeout_ms <= std::numeric_limits<int>::max() &&
         is_server_list(servers()) && client_takes(chroot());
}

std::string Options::servers() const {
  return connection_string.substr(0, connection_string.find('/'));
}

// A slash with nothing behind it is no chroot (zookeeper.c, zookeeper_init_internal).
Path Options::chroot() const {
  const std::size_t slash = connection_string.find('/');
  return slash == std::string::npos ? Path() : Path(connection_string.substr(slash));
}

}  // namespace lockstep::zookeeper
