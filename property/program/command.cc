#include "command.h"

#include <algorithm>
#include <iostream>

#include "parse_error.h"
#include "usage.h"

namespace lockstep::program {

namespace {

// Hides the words after "--" from CLI11, for commands that take a second command line.
void separate(CommandLine& line, std::vector<std::string>& words) {
  const bool has_another = words.size() > 1 && (words[1] == "lock" || words[1] == "run");
  const auto separator = std::ranges::find(words, "--");
  if (!has_another || separator == words.end()) return;
  line.after_separator.assign(separator + 1, words.end());
  words.erase(separator, words.end());
}

// CLI11 would take the file "[a,b]" for a list of two.
void show_as_file(std::string& word) {
  if (word.starts_with('[') && word.ends_with(']')) word.insert(0, "./");
}

}  // namespace

int run_command(CLI::App& app, CommandLine& line) {
  std::vector<std::string> words = line.words;
  separate(line, words);
  if (words.size() > 1 && words[1] == "merge") std::ranges::for_each(words, &show_as_file);
  std::ranges::reverse(words);
  words.pop_back();
  try {
    app.parse(std::move(words));  // CLI11 expects reverse order, without the program's name.
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error, std::cout, std::cerr);
    throw UsageError(explained(app, error));
  }
  if (!line.run) throw UsageError("a command is missing ('lockstep --help' shows all)");
  return line.run();
}

}  // namespace lockstep::program
