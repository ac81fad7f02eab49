#include "lockstep/zookeeper/contender_data.h"

#include <unistd.h>

#include <array>
#include <string>

namespace lockstep::zookeeper {

Data contender_data(std::string_view text) {
  std::array<char, 256> host{};
  // The last byte stays 0: a truncated name need not be terminated.
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  std::string data = "host=" + std::string(host.data()) + " pid=" + std::to_string(getpid());
  if (!text.empty()) data += " " + std::string(text);
  return Data(data);
}

}  // namespace lockstep::zookeeper
