#pragma once

#include <cstddef>
#include <optional>

#include "lockstep/error.h"
#include "lockstep/request.h"

namespace lockstep::zookeeper {

// What is refused before the C client sees it, because that would send something else, or worse: a
// path that it does not take makes it free memory that it does not own when it stands in a multi
// (zookeeper.c, zoo_amulti). And whatever the C client itself refuses: it may see the request late,
// behind a multi that waits, or never.
class Refusal {
 public:
  explicit Refusal(Error refused_with, std::int32_t refused_op = -1)
      : error(refused_with), op(refused_op) {}

  Error error;
  std::int32_t op;  // Of a multi, or -1.
};

// `packet_limit`: how long a request may be on the wire.
[[nodiscard]] std::optional<Refusal> refusal_of(const Request& request, std::size_t packet_limit);

}  // namespace lockstep::zookeeper
