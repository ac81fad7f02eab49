#pragma once

#include <optional>
#include <vector>

#include "lockstep/stat.h"
#include "lockstep/wire/op.h"

namespace lockstep::service {

// A message that is to get lost: the next one that fits, once.
struct Loss {
  bool reply = false;              // Otherwise a request.
  std::optional<wire::Op> kind{};  // None: of any operation but a ping.
  SessionId session = 0;           // 0: of any session.
};

// The losses that are still to come.
class Losses {
 public:
  void add(const Loss& loss) { losses_.push_back(loss); }
  void clear() { losses_.clear(); }
  // True if this message gets lost, which uses up the first loss that it fits.
  [[nodiscard]] bool strike(bool reply, wire::Op op, SessionId session);

 private:
  std::vector<Loss> losses_;
};

}  // namespace lockstep::service
