#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include "lockstep/error.h"
#include "lockstep/error_code.h"

namespace lockstep::blocking {

// The exception of the blocking locks. The code is for the program; the text names the call and the
// lock, and includes Client::last_failure() if the client has no session (kNotConnected) or cannot
// have one, because its options are wrong (kBadArguments) or not supported (kUnimplemented):
//
//   lockstep: lock() on /locks/nightly: no connection within the deadline (127.0.0.1:2181:
//   Connection refused)
class LockError : public std::system_error {
 public:
  // `call` is the function's name, `lock` the lock's path. `why` may be empty.
  LockError(std::error_code code, std::string_view call, std::string_view lock,
            std::string_view why = {});
  // The same for an error that the call has caught.
  LockError(const std::system_error& met, std::string_view call, std::string_view lock);

  [[nodiscard]] const char* what() const noexcept override { return text_->c_str(); }

 private:
  std::shared_ptr<const std::string> text_;  // Shared: copying an exception must not throw.
};

}  // namespace lockstep::blocking
