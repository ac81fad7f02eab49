#include "command_tree.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "lockstep/lab/hunt.h"
#include "lockstep/lab/words.h"
#include "scenarios/registry.h"

namespace lockstep::program {

namespace {

// The words of "cut, expiry".
std::vector<std::string> words_of(const std::string& joined) {
  std::vector<std::string> words;
  std::istringstream rest(joined);
  for (std::string word; rest >> word;) {
    if (word.ends_with(',')) word.pop_back();
    words.push_back(word);
  }
  return words;
}

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  for (const scenarios::Scenario& scenario : scenarios::all()) names.emplace_back(scenario.name);
  return names;
}

std::vector<std::string> strategy_choices() {
  std::vector<std::string> names = words_of(lab::strategy_names());
  names.emplace_back(lab::HuntSettings::kExhaustive);
  return names;
}

// The words for a value, by the name of its option or positional.
struct Choices {
  std::string_view option;
  std::vector<std::string> (*words)();
  bool is_list = false;
};
constexpr Choices kChoices[] = {
    {"SCENARIO", &scenario_names},
    {"SUITE", [] { return words_of("explorer fake real"); }},
    {"SHELL", [] { return words_of("bash zsh"); }},
    {"--strategy", &strategy_choices},
    {"--reduction", [] { return words_of(lab::reduction_names()); }},
    {"--faults", &fault_choices, true},
    {"--backend", [] { return words_of("fake zookeeper"); }},
    {"--on-loss", [] { return words_of("kill warn"); }},
};

const Choices* choices_for(const CLI::Option& option) {
  for (const std::string& name : names_of(option)) {
    const Choices* const found = std::ranges::find(kChoices, name, &Choices::option);
    if (found != std::end(kChoices)) return found;
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> fault_choices() {
  return words_of("all none " + lab::fault_kind_names() + ", " + lab::named_fault_kind_names());
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<const CLI::Option*> named_options(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return !option->get_positional(); });
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::vector<std::string> names_of(const CLI::Option& option) {
  if (option.get_positional()) return {option.get_name(true)};
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::string value_of(const CLI::Option& option) {
  if (!takes_value(option)) return "";
  std::string type = option.get_type_name();
  // CLI11 appends the checks: "TEXT:{fake,zookeeper}", "N:UINT in [1 - 9]".
  if (type.find_first_of(" {") != type.npos) type.resize(std::min(type.find(':'), type.size()));
  return type;
}

std::vector<std::string> choices_of(const CLI::Option& option) {
  const Choices* const found = choices_for(option);
  return found ? found->words() : std::vector<std::string>();
}

bool takes_list(const CLI::Option& option) {
  const Choices* const found = choices_for(option);
  return found && found->is_list;
}

}  // namespace lockstep::program
