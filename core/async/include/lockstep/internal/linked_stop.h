#pragma once

#include <optional>
#include <stop_token>

#include "lockstep/context.h"

namespace lockstep::internal {

// A stop source that also stops when another token does. Its callbacks only forward the stop, so
// stopping from another thread is as safe as with the token itself. Does not move.
class LinkedStop {
 public:
  LinkedStop(const std::stop_token& first, const std::stop_token& second)
      : first_(first, Forward(source_)), second_(second, Forward(source_)) {}
  LinkedStop(const LinkedStop&) = delete;
  LinkedStop& operator=(const LinkedStop&) = delete;
  ~LinkedStop() = default;

  [[nodiscard]] std::stop_source& source() { return source_; }
  // `context` with this source as its stop token.
  [[nodiscard]] Context bound(const Context& context) const {
    if (context.deadline()) return {*context.deadline(), source_.get_token()};
    return {source_.get_token()};
  }

 private:
  class Forward {
   public:
    explicit Forward(std::stop_source& to) : to_(&to) {}
    void operator()() const { to_->request_stop(); }

   private:
    std::stop_source* to_;
  };

  std::stop_source source_;
  std::stop_callback<Forward> first_;
  std::stop_callback<Forward> second_;
};

}  // namespace lockstep::internal
