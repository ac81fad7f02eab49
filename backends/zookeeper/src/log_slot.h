#pragma once

#include <zookeeper/zookeeper.h>

#include <cstddef>
#include <optional>
#include <string_view>

#include "lockstep/zookeeper/options.h"

namespace lockstep::zookeeper {

// Passes the log of one C client handle to its session's sink. The C client calls a function with
// only the line, so each slot needs its own function. There are 256 slots; the log of any further
// session has only our own lines.
class LogSlot {
 public:
  // An empty sink takes no slot.
  explicit LogSlot(LogSink sink);
  LogSlot(const LogSlot&) = delete;
  LogSlot& operator=(const LogSlot&) = delete;
  // Once this returns, the sink is no longer called.
  ~LogSlot();

  // For zookeeper_init2().
  [[nodiscard]] log_callback_fn callback() const;
  // From any thread.
  void write(std::string_view line);

 private:
  class Table;
  LogSink sink_;
  std::optional<std::size_t> index_;
};

}  // namespace lockstep::zookeeper
