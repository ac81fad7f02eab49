#pragma once

#include <cstdint>
#include <string_view>

#include "lockstep/lab/contender.h"

namespace lockstep::lab {

// A contender, or one of its users (User), as the owner of a lane in drawings. Both convert to it.
class Lane {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a contender has a lane.
  Lane(Contender& contender, std::uint32_t user = 0) : contender_(contender), user_(user) {}

  [[nodiscard]] Contender& contender() const { return contender_; }
  // Counted from 1; 0 is the contender itself.
  [[nodiscard]] std::uint32_t user() const { return user_; }
  // Whether the lanes are drawn: without that, notes need not be written.
  [[nodiscard]] bool drawn() const { return contender_.client().process().world().traced(); }
  void note(std::string_view text) const { contender_.note(text, user_); }

 private:
  Contender& contender_;
  std::uint32_t user_;
};

}  // namespace lockstep::lab
