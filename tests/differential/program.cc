#include "differential/program.h"

#include <algorithm>

namespace lockstep::differential {

int Program::sessions() const {
  int highest = 0;
  for (const Step& step : steps) highest = std::max(highest, step.session);
  return highest + 1;
}

std::size_t Program::size() const {
  std::size_t requests = 0;
  for (const Step& step : steps) requests += step.ops.size();
  return requests;
}

bool Program::expires(int session) const {
  return std::ranges::any_of(steps, [session](const Step& step) {
    return step.kind == StepKind::kExpire && step.session == session;
  });
}

}  // namespace lockstep::differential
