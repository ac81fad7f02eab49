#pragma once

#include <cstddef>
#include <optional>

#include "lockstep/error.h"
#include "lockstep/request.h"

namespace lockstep::zookeeper {

// Refuses requests before the C client sees them, because it would send something else, or worse: a
// path that it does not take, in a multi, makes it free memory that it does not own (zookeeper.c,
// zoo_amulti). Refuses everything that the C client itself refuses as well: it may see the request
// late, after a multi that waits, or never.
class Refusal {
 public:
  explicit Refusal(Error refused_with, std::int32_t refused_op = -1)
      : error(refused_with), op(refused_op) {}

  Error error;
  std::int32_t op;  // Index in a multi, or -1.
};

// `packet_limit`: the longest request on the wire.
[[nodiscard]] std::optional<Refusal> refusal_of(const Request& request, std::size_t packet_limit);

}  // namespace lockstep::zookeeper
