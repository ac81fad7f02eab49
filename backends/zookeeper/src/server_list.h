#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::zookeeper {

// One server of a connection string: a host name or a numeric address, and a port.
class Server {
 public:
  Server(std::string host_name, std::uint16_t port_number)
      : host(std::move(host_name)), port(port_number) {}

  std::string host;
  std::uint16_t port;
};

// Parses "host:port,host:port"; "[::1]:2181" and "::1:2181" both have the host "::1".
class ServerList {
 public:
  explicit ServerList(std::string_view text);

  // The error in the text, if any; then there are no servers.
  [[nodiscard]] const std::optional<std::string>& defect() const { return defect_; }
  [[nodiscard]] const std::vector<Server>& servers() const { return servers_; }

 private:
  std::vector<Server> servers_;
  std::optional<std::string> defect_;
};

}  // namespace lockstep::zookeeper
