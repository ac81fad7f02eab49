#include "real/watch_count.h"

#include <chrono>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "real/loopback.h"

namespace lockstep::support {

namespace {

constexpr std::chrono::seconds kAnswerLimit(10);

// The number that follows `before` in the server's statistics of watches.
std::size_t number_after(std::string_view before, const ZookeeperServer& server) {
  const std::string summary = four_letter_word(server.port(), "wchs", kAnswerLimit);
  const std::size_t at = summary.find(before);
  if (at == std::string::npos) throw std::runtime_error("wchs says: " + summary);
  return std::stoul(summary.substr(at + before.size()));
}

}  // namespace

std::size_t watches_at(const ZookeeperServer& server) {
  return number_after("Total watches:", server);
}

std::size_t watched_paths_at(const ZookeeperServer& server) {
  return number_after("connections watching ", server);
}

// The answer has a line for each session, followed by a line with a tab for each of its paths.
bool watches_below(const ZookeeperServer& server, std::int64_t session, std::string_view znode) {
  std::ostringstream hexadecimal;
  hexadecimal << "0x" << std::hex << session;
  const std::string path = "\t" + std::string(znode) + "/";
  std::istringstream watches(four_letter_word(server.port(), "wchc", kAnswerLimit));
  bool is_its = false;
  for (std::string line; std::getline(watches, line);) {
    if (!line.starts_with('\t')) is_its = line == hexadecimal.str();
    if (is_its && line.starts_with(path)) return true;
  }
  return false;
}

}  // namespace lockstep::support
