#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::chaos {

// The driver's requests to the servers at these ports of this machine, without a proxy. All
// functions throw std::runtime_error if the servers do not answer in time.

[[nodiscard]] std::string connection_string(const std::vector<std::uint16_t>& ports);

void create_root(const std::vector<std::uint16_t>& ports, const std::string& root);

// Creates a znode below `root` that no contender owns, and returns its path.
[[nodiscard]] std::string write_marker(const std::vector<std::uint16_t>& ports,
                                       const std::string& root);

// The znodes of all contenders below `root`.
[[nodiscard]] std::vector<std::string> znodes_in_queues(const std::vector<std::uint16_t>& ports,
                                                        const std::string& root);

}  // namespace lockstep::chaos
