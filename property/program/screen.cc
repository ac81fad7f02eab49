#include "screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <sstream>

#include "lockstep/search/lanes.h"

namespace lockstep::program {

namespace {

constexpr std::size_t kFewestColumns = 20;

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

std::optional<std::size_t> columns_of_terminal() {
  const std::string_view wanted = variable("COLUMNS");
  std::size_t columns = 0;
  std::from_chars(wanted.data(), wanted.data() + wanted.size(), columns);
  if (columns >= kFewestColumns) return columns;
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  if (!known || size.ws_col < kFewestColumns) return std::nullopt;
  return size.ws_col;
}

// Breaks a legend's entries, separated by three blanks, into lines of that many columns.
std::string within(std::string_view legend, std::size_t columns) {
  constexpr std::string_view kBetween = "   ";
  std::string text;
  std::size_t used = 0;
  while (!legend.empty()) {
    const std::size_t end = std::min(legend.find(kBetween), legend.size());
    const std::string_view entry = legend.substr(0, end);
    const bool breaks = used > 0 && used + kBetween.size() + entry.size() > columns;
    if (breaks) {
      text += '\n';
      used = 0;
    } else if (used > 0) {
      text += kBetween;
      used += kBetween.size();
    }
    text += entry;
    used += entry.size();
    legend.remove_prefix(std::min(end + kBetween.size(), legend.size()));
  }
  return text;
}

}  // namespace

Screen Screen::output() {
  if (isatty(STDOUT_FILENO) != 1) return {false, std::nullopt};
  return {variable("NO_COLOR").empty() && variable("TERM") != "dumb", columns_of_terminal()};
}

std::string Screen::painted(std::string_view text, std::string_view how) const {
  if (!coloured_ || text.empty()) return std::string(text);
  return "\x1b[" + std::string(how) + 'm' + std::string(text) + "\x1b[0m";
}

std::string Screen::lanes(const search::Chronicle& chronicle, const std::string& drawn) const {
  // If the machine had no process to spare, an execution that ended its process was not recorded.
  const bool can_be_drawn = columns_ && !chronicle.moments.empty();
  const std::string fitted = can_be_drawn ? draw_lanes_within(chronicle, *columns_) : drawn;
  return (coloured_ ? with_colours(fitted) : fitted) +
         within(legend(chronicle), columns_.value_or(search::kAnyWidth));
}

std::string Screen::with_colours(const std::string& lanes) const {
  std::istringstream lines(lanes);
  std::string text;
  for (std::string line; std::getline(lines, line); text += '\n') {
    const std::size_t fault = line.find("** ");
    if (line.starts_with("step ")) {
      text += strong(line);
    } else if (line.find(" !! ") != line.npos) {
      text += bad(line);
    } else if (fault != line.npos) {
      text += line.substr(0, fault) + warning(line.substr(fault));
    } else {
      text += line;
    }
  }
  return text;
}

}  // namespace lockstep::program
