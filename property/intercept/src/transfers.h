#pragma once

#include <sys/types.h>

#include <span>
#include <string_view>

#include "lockstep/intercept/execution.h"

namespace lockstep::intercept {

// These move bytes between the running thread and a descriptor of its execution, and return the
// number of bytes, or -1 and errno. They wait unless the descriptor is nonblocking or `flags`,
// those of send() and recv(), contain MSG_DONTWAIT. `call` names the intercepted function, for
// reports.

// For sockets only.
[[nodiscard]] ssize_t transmit(Execution& execution, std::string_view call, int file,
                               std::string_view bytes, int flags);
[[nodiscard]] ssize_t receive(Execution& execution, std::string_view call, int file,
                              std::span<char> into, int flags);
// For all descriptors. A read of no bytes does not wait: that of a socket, unlike its recv(),
// returns 0 even if the socket is not connected.
[[nodiscard]] ssize_t write_to(Execution& execution, std::string_view call, int file,
                               std::string_view bytes);
[[nodiscard]] ssize_t read_from(Execution& execution, std::string_view call, int file,
                                std::span<char> into);

}  // namespace lockstep::intercept
