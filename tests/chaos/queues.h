#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::chaos {

// The driver asks the servers at these ports of this machine directly, past the proxies. Functions
// throw std::runtime_error if the servers do not answer in time.

[[nodiscard]] std::string connection_string(const std::vector<std::uint16_t>& ports);

void create_root(const std::vector<std::uint16_t>& ports, const std::string& root);

// Creates a znode below `root` that is no contender's, and returns its path.
[[nodiscard]] std::string write_marker(const std::vector<std::uint16_t>& ports,
                                       const std::string& root);

// All contenders' znodes that there are below `root`.
[[nodiscard]] std::vector<std::string> znodes_in_queues(const std::vector<std::uint16_t>& ports,
                                                        const std::string& root);

}  // namespace lockstep::chaos
