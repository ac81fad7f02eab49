#pragma once

#include <zookeeper/zookeeper.h>

#include <cstddef>
#include <optional>
#include <string_view>

#include "lockstep/zookeeper/options.h"

namespace lockstep::zookeeper {

// Leads what one handle of the C client logs to its session's sink. The C client calls a function
// that is told nothing but the line, so each slot has a function of its own; there are 256 of
// them, and a session beyond has only its own lines in its log.
class LogSlot {
 public:
  // An empty sink takes no slot.
  explicit LogSlot(LogSink sink);
  LogSlot(const LogSlot&) = delete;
  LogSlot& operator=(const LogSlot&) = delete;
  // No call of the sink is under way afterwards.
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
