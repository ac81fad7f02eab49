#include <string>
#include <string_view>
#include <vector>

#include "command_tree.h"
#include "completion.h"
#include "lockstep/search/version.h"

namespace lockstep::program {

namespace {

// $1 is the word. In bash, a value after "=" is a separate word, and so is the "=".
constexpr std::string_view kBashTools = R"(
_lockstep_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word"); }
_lockstep_files() {
  compopt -o filenames 2>/dev/null || :
  mapfile -t COMPREPLY < <(compgen -f -- "$word")
}
# A list with commas: completes its last word.
_lockstep_list() {
  local first=
  [[ $word != *,* ]] || first=${word%,*},
  mapfile -t COMPREPLY < <(compgen -P "$first" -W "$1" -- "${word##*,}")
}
# After "--" stands a command of its own. False if there is none.
_lockstep_other_command() {
  local i
  for ((i = 2; i < COMP_CWORD; ++i)); do
    [[ ${COMP_WORDS[i]} == -- ]] || continue
    if declare -F _command_offset >/dev/null; then
      _command_offset $((i + 1))
    elif ((i + 1 == COMP_CWORD)); then
      mapfile -t COMPREPLY < <(compgen -c -- "$word")
    else
      _lockstep_files
    fi
    return 0
  done
  return 1
}

_lockstep() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  COMPREPLY=()
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
)";

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string all_names(const std::vector<const CLI::Option*>& options) {
  std::string names;
  for (const CLI::Option* const option : options) {
    names += (names.empty() ? "" : " ") + joined(names_of(*option));
  }
  return names;
}

// How the value is completed.
std::string action_for(const CLI::Option& option) {
  const std::vector<std::string> choices = choices_of(option);
  if (!choices.empty()) {
    const std::string how = takes_list(option) ? "_lockstep_list" : "_lockstep_words";
    return how + " '" + joined(choices) + "'";
  }
  const bool is_file = value_of(option) == "FILE" || option.get_name(true) == "FILE";
  return is_file ? "_lockstep_files" : ":";
}

std::string values_of(const CLI::App& command) {
  std::string cases;
  for (const CLI::Option* const option : named_options(command)) {
    if (!takes_value(*option)) continue;
    for (const std::string& name : names_of(*option)) {
      cases +=
          "    '" + command.get_name() + ' ' + name + "') " + action_for(*option) + "; return ;;\n";
    }
  }
  return cases;
}

}  // namespace

std::string completion_for_bash(const CLI::App& app) {
  std::string commands;
  std::string values;
  std::string others;
  for (const CLI::App* const command : commands_of(app)) {
    commands += command->get_name() + ' ';
    values += values_of(*command);
    const std::vector<const CLI::Option*> positionals = positionals_of(*command);
    others += "    '" + command->get_name() + "')\n      if [[ $word == -* ]]; then " +
              "_lockstep_words '" + all_names(named_options(*command)) + "'; else " +
              (positionals.empty() ? ":" : action_for(*positionals.front())) + "; fi ;;\n";
  }
  return "# Completion for bash of lockstep " + std::string(search::version()) +
         ", made by `lockstep completion bash`.\n" + std::string(kBashTools) +
         "  if ((COMP_CWORD == 1)); then\n    _lockstep_words '" + commands +
         all_names(named_options(app)) + "'\n    return\n  fi\n" +
         "  case $command in lock | run) ! _lockstep_other_command || return 0 ;; esac\n" +
         "  case \"$command $before\" in\n" + values + "  esac\n  case $command in\n" + others +
         "  esac\n}\ncomplete -F _lockstep lockstep\n";
}

}  // namespace lockstep::program
