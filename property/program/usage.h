#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "usage_error.h"

namespace lockstep::program {

// `text` without line breaks and other control characters, so that an error stays one line.
[[nodiscard]] std::string one_line(std::string_view text);

// Parses an option with `read`; its std::invalid_argument becomes a UsageError.
template <class Read>
decltype(auto) read_option(const std::string& option, Read read) {
  try {
    return read();
  } catch (const std::invalid_argument& wrong) {
    throw UsageError(option + ": " + wrong.what());
  }
}

// Parses the decimal number of an option; throws UsageError unless it is from `least` to `most`.
template <class Number>
Number read_number(std::string_view option, std::string_view text, Number least, Number most) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number >= least) ||
      !(number <= most)) {
    std::ostringstream what;
    what << option << ": '" << text << "' is not a number from " << least << " to " << most;
    throw UsageError(what.str());
  }
  return number;
}

// A check for options whose absence has a meaning: a script's unset variable is not that absence.
inline std::string refuse_empty(const std::string& text) {
  return text.empty() ? "its value is empty" : "";
}

// An option with a number from `least` to `most`. (CLI11 itself would read 010 as 8.)
template <class Number, class Into>
void add_number(CLI::App& command, const std::string& option, Into& into, Number least, Number most,
                const std::string& help) {
  command
      .add_option_function<std::string>(
          option,
          [option, &into, least, most](const std::string& text) {
            into = read_number<Number>(option, text, least, most);
          },
          help)
      ->type_name("N");
}

}  // namespace lockstep::program
