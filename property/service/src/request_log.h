#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "lockstep/service/control.h"
#include "lockstep/wire/request.h"

namespace lockstep::service {

// The last requests of all clients, the oldest first.
class RequestLog {
 public:
  static constexpr std::size_t kMost = 1000;

  // Returns its number; numbers count from 1.
  std::uint64_t add(Control::LoggedRequest request);
  // Adds the outcome of a request, unless the request has been forgotten.
  void close(std::uint64_t number, std::string answer);
  // Requests with a greater number.
  [[nodiscard]] std::vector<Control::LoggedRequest> after(std::uint64_t number) const;

 private:
  std::deque<Control::LoggedRequest> requests_;
  std::uint64_t last_ = 0;
};

// The path of a request, or those of a multi with commas between them; empty if it has none.
[[nodiscard]] std::string path_of(const wire::Request& request);

}  // namespace lockstep::service
