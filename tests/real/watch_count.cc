#include "real/watch_count.h"

#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>

#include "real/loopback.h"

namespace lockstep::support {

std::size_t watches_at(const ZookeeperServer& server) {
  const std::string summary = four_letter_word(server.port(), "wchs", std::chrono::seconds(10));
  constexpr std::string_view kBefore = "Total watches:";
  const std::size_t at = summary.find(kBefore);
  if (at == std::string::npos) throw std::runtime_error("wchs says: " + summary);
  return std::stoul(summary.substr(at + kBefore.size()));
}

}  // namespace lockstep::support
