#include <string>
#include <string_view>
#include <vector>

#include "command_tree.h"
#include "completion.h"
#include "lockstep/search/version.h"

namespace lockstep::program {

namespace {

// The "--" of `lock` and `run` is followed by a second command.
constexpr std::string_view kOtherCommand = R"(  local -i separator=${words[(i)--]}
  if [[ $words[2] == (lock|run) ]] && (( separator < CURRENT )); then
    shift $separator words
    (( CURRENT -= separator ))
    _normal
    return
  fi
)";

// Quotes a word in single quotes, and escapes `special`, which has a meaning for _arguments.
std::string quoted_for_zsh(std::string_view text, std::string_view special) {
  std::string quoted;
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else if (special.find(c) != special.npos) {
      quoted += std::string("\\") + c;
    } else {
      quoted += c;
    }
  }
  return quoted;
}

std::string spaced(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// ":N: ", ":SCENARIO:(fair-mutex ...)": the value's name and its completions.
std::string zsh_value_of(const CLI::Option& option, const std::string& name) {
  const std::string start = ":" + quoted_for_zsh(name, ":") + ":";
  const std::vector<std::string> choices = choices_of(option);
  if (takes_list(option)) return start + "_sequence compadd - " + spaced(choices);
  if (!choices.empty()) return start + '(' + spaced(choices) + ')';
  return start + (name == "FILE" ? "_files" : " ");
}

std::string zsh_option(const CLI::Option& option) {
  const std::vector<std::string> names = names_of(option);
  const std::string about = '[' + quoted_for_zsh(option.get_description(), "[]:\\") + ']';
  std::string spec;
  for (const std::string& name : names) {
    const bool repeats = option.get_expected_max() > 1;
    std::string line = "'";
    if (repeats) {
      line += '*';
    } else if (names.size() > 1) {
      line += '(' + spaced(names) + ')';
    }
    line += name;
    if (takes_value(option) && name.starts_with("--")) line += '=';
    line += about;
    if (takes_value(option)) line += zsh_value_of(option, value_of(option));
    spec += "        " + line + "'\n";
  }
  return spec;
}

std::string zsh_command(const CLI::App& command) {
  std::string specs;
  for (const CLI::Option* const option : named_options(command)) specs += zsh_option(*option);
  for (const CLI::Option* const option : positionals_of(command)) {
    const bool repeats = option->get_expected_max() > 1;
    specs += std::string("        '") + (repeats ? "*" : "1") +
             zsh_value_of(*option, option->get_name(true)) + "'\n";
  }
  return "    " + command.get_name() + ")\n      specs=(\n" + specs + "      ) ;;\n";
}

}  // namespace

std::string completion_for_zsh(const CLI::App& app) {
  std::string text = "#compdef lockstep\n# Completion for zsh of lockstep " +
                     std::string(search::version()) + ", made by `lockstep completion zsh`.\n" +
                     "\n_lockstep() {\n  local curcontext=$curcontext state\n"
                     "  local -a subcommands specs\n  specs=(\n";
  for (const CLI::Option* const option : named_options(app)) text += zsh_option(*option);
  text += "  )\n" + std::string(kOtherCommand) +
          "  _arguments -C $specs '1: :->command' '*:: :->arguments' && return\n"
          "  if [[ $state == command ]]; then\n    subcommands=(\n";
  for (const CLI::App* const command : commands_of(app)) {
    text += "      '" + quoted_for_zsh(command->get_name() + ":" + command->get_description(), "") +
            "'\n";
  }
  text += "    )\n    _describe command subcommands\n    return\n  fi\n  case $words[1] in\n";
  for (const CLI::App* const command : commands_of(app)) text += zsh_command(*command);
  return text + "    *) return 1 ;;\n  esac\n  _arguments -S $specs\n}\n\n_lockstep \"$@\"\n";
}

}  // namespace lockstep::program
