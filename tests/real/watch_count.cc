#include "real/watch_count.h"

#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>

#include "real/loopback.h"

namespace lockstep::support {

namespace {

// The number that follows `before` in what the server says of its watches.
std::size_t number_after(std::string_view before, const ZookeeperServer& server) {
  const std::string summary = four_letter_word(server.port(), "wchs", std::chrono::seconds(10));
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

}  // namespace lockstep::support
