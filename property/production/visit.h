#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ensemble.h"
#include "lockstep/context.h"
#include "lockstep/ok.h"
#include "lockstep/session.h"

namespace lockstep::program {

// The arguments of a command that looks at a lock, or asks its holder for something, without taking
// it.
class VisitSettings {
 public:
  Ensemble ensemble;
  std::string path;
  Duration limit = Ensemble::kConnectLimit;
  bool json = false;
};

void add_visit_options(CLI::App& command, VisitSettings& settings);

// Runs `work` on a new session, within the limit. Returns the exit status; prints an error in one
// line.
using Work = std::function<Task<Result<void>>(Session&, Context)>;
[[nodiscard]] int visit(const VisitSettings& settings, const Work& work);

}  // namespace lockstep::program
