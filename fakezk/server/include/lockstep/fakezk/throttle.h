#pragma once

#include <cstdint>

#include "lockstep/fakezk/txn.h"

namespace lockstep::fakezk {

// How many of a link's next requests are refused, as a server does that limits its load.
struct Throttle {
  LinkIndex link = kNoLink;
  std::uint32_t requests = 0;

  [[nodiscard]] bool refuses(LinkIndex from, OpCode op) const {
    return requests > 0 && link == from && op != OpCode::kClose;
  }
};

}  // namespace lockstep::fakezk
