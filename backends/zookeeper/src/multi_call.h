#pragma once

#include <zookeeper/zookeeper.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/request.h"
#include "message.h"

namespace lockstep::zookeeper {

// One multi under way, and the memory that the C client writes its results to: from its own thread,
// at any time before it calls back, or before the handle is closed if it never does.
class MultiCall {
 public:
  explicit MultiCall(const std::vector<Request>& ops);
  MultiCall(const MultiCall&) = delete;
  MultiCall& operator=(const MultiCall&) = delete;

  // The same operations again, which have passed refusal_of(). Returns ZOK, or why the C client
  // refuses them: then there is no reply. The handle is connected: see Handle::is_connected().
  [[nodiscard]] int send(zhandle_t* handle, const std::vector<Request>& ops, const void* context);

  // What the C client has written; once it has called back.
  [[nodiscard]] std::vector<OpOutcome> outcomes() const;

 private:
  std::vector<OpCode> op_codes_;  // Not the requests: those must die on the loop's thread.
  std::vector<zoo_op_result_t> results_;
  std::vector<std::string> paths_;
  std::vector<::Stat> stats_;
};

}  // namespace lockstep::zookeeper
