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

bool has_watches_at(const ZookeeperServer& server, std::int64_t session) {
  std::ostringstream hexadecimal;
  hexadecimal << "0x" << std::hex << session;
  const std::string watches = four_letter_word(server.port(), "wchc", kAnswerLimit);
  return watches.find(hexadecimal.str()) != std::string::npos;
}

}  // namespace lockstep::support
