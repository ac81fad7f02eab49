#include "server_list.h"

#include <charconv>
#include <memory>

namespace lockstep::zookeeper {

namespace {

std::uint16_t to_port(std::string_view digits) {
  const char* const end = std::to_address(digits.end());
  std::uint16_t port = 0;
  const auto [stopped, error] = std::from_chars(std::to_address(digits.begin()), end, port);
  return error == std::errc() && stopped == end ? port : std::uint16_t{0};
}

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

}  // namespace

ServerList::ServerList(std::string_view text) {
  constexpr std::string_view kForbidden(" \t\r\n/\0", 6);  // A slash begins the chroot.
  if (text.find_first_of(kForbidden) != std::string_view::npos) {
    defect_ = "the list of servers holds a space, a newline, a slash or a NUL: " + quoted(text);
    return;
  }
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    const std::string_view server = text.substr(0, comma);
    const std::size_t colon = server.rfind(':');
    std::string_view host = server.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    const std::uint16_t port =
        colon == std::string_view::npos ? std::uint16_t{0} : to_port(server.substr(colon + 1));
    if (host.empty() || port == 0) {
      servers_.clear();
      defect_ = quoted(server) + " is not host:port";
      return;
    }
    servers_.emplace_back(std::string(host), port);
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
}

}  // namespace lockstep::zookeeper
