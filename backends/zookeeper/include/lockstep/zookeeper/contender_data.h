#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lockstep/data.h"

namespace lockstep::zookeeper {

// Describes this process to readers of a queue, for LockOptions::data: "host=<name> pid=<number>
// since=<time>", followed by `text` if there is any. The time is now, by this machine's clock, in
// UTC: "2026-11-25T02:30:00Z". From any thread.
[[nodiscard]] Data contender_data(std::string_view text = {});

// The fields of such data, as views into it; a field that the data does not have is empty.
class ContenderDescription {
 public:
  explicit ContenderDescription(std::string_view data);

  std::string_view host;
  std::string_view pid;
  std::string_view since;
  std::string_view text;  // The rest; all of the data if it has no such beginning.
};

// A time in milliseconds since 1970, as in Stat::ctime_ms: "2026-11-25T02:30:00Z".
[[nodiscard]] std::string utc(std::int64_t milliseconds);

}  // namespace lockstep::zookeeper
