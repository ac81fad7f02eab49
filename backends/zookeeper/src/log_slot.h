#pragma once

#include <zookeeper/zookeeper.h>

#include <cstddef>
#include <optional>
#include <string_view>

#include "lockstep/zookeeper/options.h"

namespace lockstep::zookeeper {

// Leads the log of one handle of the C client to its session's sink. The C client calls a function
// with the line only, so each slot has a function of its own. There are 256 slots; a session beyond
// them has only our own lines in its log.
class LogSlot {
 public:
  // An empty sink takes no slot.
  explicit LogSlot(LogSink sink);
  LogSlot(const LogSlot&) = delete;
  LogSlot& operator=(const LogSlot&) = delete;
  // The sink is not being called any more when this returns.
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
