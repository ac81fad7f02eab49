#include "parse_error.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "nearest.h"
#include "usage.h"

namespace lockstep::program {

namespace {

// The names of all options, with their dashes.
std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string asked_of(const std::string& command) {
  return command.empty() ? "lockstep --help" : "lockstep " + command + " --help";
}

bool is_option(const std::string& word) { return word.starts_with('-') && word.size() > 1; }

// CLI11 would print "At Most 1 required but received 2".
std::string in_words(const CLI::ParseError& error) {
  const std::string text = error.what();
  const std::size_t count = text.find(": At Most 1 required");
  return count == text.npos ? text : text.substr(0, count) + ": it is there more than once";
}

// CLI11 would print that an argument was not expected, without naming the command.
std::string about_extras(const CLI::App& command, const std::string& name,
                         const std::vector<std::string>& extras) {
  const auto dashed = std::ranges::find_if(extras, &is_option);
  const std::string to_whom = name.empty() ? "there is no option" : name + " has no option";
  const std::string who = name.empty() ? "" : name + ": ";
  if (dashed == extras.end()) {
    return who + "'" + extras.front() + "' was not expected ('" + asked_of(name) +
           "' shows what is)";
  }
  const std::string option = dashed->substr(0, dashed->find('='));
  const std::vector<std::string> names = option_names(command);
  if (std::ranges::find(names, option) != names.end()) {
    return who + "'" + option + "' comes after --, so it is no option ('" + asked_of(name) +
           "' shows how)";
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  return to_whom + " '" + option + "'" + did_you_mean(option, known) + " ('" + asked_of(name) +
         "' shows all)";
}

}  // namespace

std::string explained(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> begun = app.get_subcommands();
  const CLI::App& command = begun.empty() ? app : *begun.front();
  const std::string name = begun.empty() ? "" : command.get_name();
  const std::vector<std::string> extras = app.remaining(true);
  // A mistyped option may be why a required one is missing.
  const bool has_slip = std::ranges::any_of(extras, &is_option);
  const bool is_about_extras = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  if (has_slip || (is_about_extras && !extras.empty())) return about_extras(command, name, extras);
  return in_words(error) + " ('" + asked_of(name) + "' shows how)";
}

void check_command_name(const CLI::App& app, const std::string& name) {
  if (name.starts_with('-')) return;
  std::vector<std::string> names;
  for (const CLI::App* const command : app.get_subcommands(nullptr)) {
    names.push_back(command->get_name());
  }
  if (std::ranges::find(names, name) != names.end()) return;
  const std::vector<std::string_view> known(names.begin(), names.end());
  throw UsageError("there is no command '" + name + "'" + did_you_mean(name, known) +
                   " ('lockstep --help' shows all)");
}

}  // namespace lockstep::program
