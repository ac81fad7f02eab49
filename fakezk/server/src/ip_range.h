#pragma once

#include <string_view>

namespace lockstep::fakezk {

// The ids of the scheme "ip": an address of four numbers, or such an address and a number of bits
// after a slash. ZooKeeper 3.8 takes no other kind (IPAuthenticationProvider.v6addr2Bytes).
[[nodiscard]] bool is_ip_range(std::string_view text);
// True if `address` lies in `range`; false if either is malformed.
[[nodiscard]] bool ip_in_range(std::string_view address, std::string_view range);

}  // namespace lockstep::fakezk
