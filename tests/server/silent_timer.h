#pragma once

#include "lockstep/executor.h"

namespace lockstep::fakezk {

class SilentTimer final : public Timer {
 public:
  void run() override {}
};

}  // namespace lockstep::fakezk
