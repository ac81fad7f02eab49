#pragma once

#include <zookeeper/zookeeper.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/request.h"
#include "message.h"

namespace lockstep::zookeeper {

// One multi in flight, and the memory for its results. The C client writes there from its own
// thread at any time until it calls back; if it never does, until the handle is closed.
class MultiCall {
 public:
  explicit MultiCall(const std::vector<Request>& ops);
  MultiCall(const MultiCall&) = delete;
  MultiCall& operator=(const MultiCall&) = delete;

  // `ops` are the constructor's operations, and have passed refusal_of(). Returns ZOK, or the error
  // with which the C client refuses them; after an error no reply follows. The handle must be
  // connected: see Handle::is_connected().
  [[nodiscard]] int send(zhandle_t* handle, const std::vector<Request>& ops, const void* context);

  // The results that the C client has written. Only valid after its callback.
  [[nodiscard]] std::vector<OpOutcome> outcomes() const;

 private:
  std::vector<OpCode> op_codes_;  // No requests: those must be destroyed on the loop's thread.
  std::vector<zoo_op_result_t> results_;
  std::vector<std::string> paths_;
  std::vector<::Stat> stats_;
};

}  // namespace lockstep::zookeeper
