#include "usage.h"

namespace lockstep::program {

namespace {

constexpr const char* kNotInHelp = "";  // CLI11's name for the group of hidden options.

}  // namespace

std::string one_line(std::string_view text) {
  std::string line;
  for (const char character : text) {
    const bool breaks = static_cast<unsigned char>(character) < ' ' || character == '\x7f';
    if (!breaks) {
      line += character;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

void reject_as_unavailable(std::string_view what) {
  throw UsageError(std::string(what) + " is not available in this version");
}

void add_unavailable_option(CLI::App& command, const std::string& option) {
  command
      .add_option_function<std::string>(
          option, [option](const std::string&) { reject_as_unavailable(option); })
      ->group(kNotInHelp);
}

void add_unavailable_flag(CLI::App& command, const std::string& flag) {
  command.add_flag_callback(flag, [flag] { reject_as_unavailable(flag); })->group(kNotInHelp);
}

}  // namespace lockstep::program
