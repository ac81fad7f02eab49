#include "scenario_named.h"

#include <string_view>
#include <vector>

#include "nearest.h"
#include "usage.h"

namespace lockstep::program {

const scenarios::Scenario& scenario_named(const std::string& name) {
  if (const scenarios::Scenario* const exact = scenarios::find(name)) return *exact;
  std::vector<std::string_view> names;
  const scenarios::Scenario* only = nullptr;
  std::size_t begin_so = 0;
  for (const scenarios::Scenario& scenario : scenarios::all()) {
    names.push_back(scenario.name);
    if (name.empty() || !scenario.name.starts_with(name)) continue;
    only = &scenario;
    ++begin_so;
  }
  if (begin_so == 1) return *only;
  const std::string why =
      begin_so > 1 ? "'" + name + "' is the beginning of " + std::to_string(begin_so) + " scenarios"
                   : "there is no scenario '" + name + "'";
  throw UsageError(why + did_you_mean(name, names) + " ('lockstep list' shows all)");
}

const scenarios::Scenario& blocking_form_of(const scenarios::Scenario& scenario) {
  if (const auto* const blocking = scenarios::find_blocking(scenario.name)) return *blocking;
  throw UsageError("--blocking: '" + std::string(scenario.name) +
                   "' has no blocking code; 'list' shows which scenarios have");
}

}  // namespace lockstep::program
