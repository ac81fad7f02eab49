#pragma once

#include <string>
#include <string_view>

namespace lockstep::wire {

// Decodes arbitrary bytes as every kind of message and as a stream of frames. What is decoded is
// encoded and must be the same when it is decoded again. Returns what is wrong, or nothing.
[[nodiscard]] std::string complaint_about(std::string_view bytes);

}  // namespace lockstep::wire
