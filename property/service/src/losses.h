#pragma once

#include <optional>
#include <vector>

#include "lockstep/stat.h"
#include "lockstep/wire/op.h"

namespace lockstep::service {

// A message to be lost: the next one that matches, once.
struct Loss {
  bool reply = false;              // Otherwise a request.
  std::optional<wire::Op> kind{};  // None stands for all operations but pings.
  SessionId session = 0;           // 0 stands for any session.
};

// The losses that are still due.
class Losses {
 public:
  void add(const Loss& loss) { losses_.push_back(loss); }
  void clear() { losses_.clear(); }
  // Returns whether this message is lost; removes the first matching loss.
  [[nodiscard]] bool strike(bool reply, wire::Op op, SessionId session);

 private:
  std::vector<Loss> losses_;
};

}  // namespace lockstep::service
