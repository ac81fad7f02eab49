#include "last_words.h"

#include "lockstep/lab/last_words.h"

namespace lockstep::scenarios {

std::unique_ptr<search::Program> make_program(const Scenario& scenario, lab::ScenarioSize size,
                                              const fakezk::FaultPlan& faults) {
  return lab::with_last_words(scenario.make(size), scenario.name, size, faults, kReplayBy);
}

}  // namespace lockstep::scenarios
