#pragma once

#include <cstdint>
#include <string>

#include "lockstep/search/program.h"

namespace lockstep::unit {

// Replaces the program when a simulation is driven by hand; its processes are named by number.
class Numbered final : public search::Program {
 public:
  void start(fakezk::World&, search::Verdict&) override {}
  void finish(fakezk::World&) override {}
  void clear() override {}
  [[nodiscard]] std::string process_name(std::uint32_t process) const override {
    return std::to_string(process);
  }
};

}  // namespace lockstep::unit
