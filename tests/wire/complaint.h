#pragma once

#include <string>
#include <string_view>

namespace lockstep::wire {

// Decodes arbitrary bytes as every kind of message and as a stream of frames. Decoded messages are
// encoded and must decode to the same again. Returns a complaint, or nothing.
[[nodiscard]] std::string complaint_about(std::string_view bytes);

}  // namespace lockstep::wire
