#pragma once

#include <sys/types.h>

#include <span>
#include <string_view>

#include "lockstep/intercept/execution.h"

namespace lockstep::intercept {

// A call that moves bytes between the running thread and a descriptor of its execution, with the
// flags of send() and recv(): the number of bytes, or -1 and errno. It waits unless the descriptor
// or MSG_DONTWAIT says otherwise.
[[nodiscard]] ssize_t transmit(Execution& execution, std::string_view call, int file,
                               std::string_view bytes, int flags);
[[nodiscard]] ssize_t receive(Execution& execution, std::string_view call, int file,
                              std::span<char> into, int flags);

}  // namespace lockstep::intercept
