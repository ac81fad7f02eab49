#include "last_words.h"

#include "lockstep/fake/last_words.h"

namespace lockstep::scenarios {

std::unique_ptr<fakezk::Program> make_program(const Scenario& scenario, fake::ScenarioSize size,
                                              const fakezk::FaultPlan& faults) {
  return fake::with_last_words(scenario.make(size), scenario.name, size, faults,
                               "lockstep replay ");
}

}  // namespace lockstep::scenarios
