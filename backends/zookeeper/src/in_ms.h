#pragma once

#include <chrono>
#include <string>

#include "lockstep/clock.h"

namespace lockstep::zookeeper {

// A duration as it appears in messages: "250 ms".
inline std::string in_ms(Duration duration) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count()) +
         " ms";
}

}  // namespace lockstep::zookeeper
