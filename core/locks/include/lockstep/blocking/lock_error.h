#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include "lockstep/error.h"
#include "lockstep/error_code.h"

namespace lockstep::blocking {

// What the blocking locks throw. The code says what went wrong, for the program; the text also
// which call of which lock has failed, and what Client::last_failure() says if the client has no
// session (kNotConnected) or never will, because its options are wrong (kBadArguments) or ask for
// what is not supported (kUnimplemented):
//
//   lockstep: lock() on /locks/nightly: no connection within the deadline (127.0.0.1:2181:
//   connection refused)
class LockError : public std::system_error {
 public:
  // `call` is the function's name, `lock` the lock's path. `why` may be empty.
  LockError(std::error_code code, std::string_view call, std::string_view lock,
            std::string_view why = {});
  // The same of an error that the call met on its way.
  LockError(const std::system_error& met, std::string_view call, std::string_view lock);

  [[nodiscard]] const char* what() const noexcept override { return text_->c_str(); }

 private:
  std::shared_ptr<const std::string> text_;  // Shared: copying an exception must not throw.
};

}  // namespace lockstep::blocking
