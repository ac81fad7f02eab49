#include "lockstep/zookeeper/options.h"

#include <algorithm>
#include <cstdio>
#include <limits>

#include "c_handle.h"
#include "in_ms.h"
#include "lockstep/fencing.h"
#include "lockstep/internal/refusal.h"
#include "lockstep/packet.h"
#include "server_list.h"

namespace lockstep::zookeeper {

namespace {

// The C client reads the scheme only up to a NUL.
bool takes(const AuthInfo& info) {
  return !info.scheme.empty() && info.scheme.find('\0') == std::string::npos;
}

bool exceeds_limit(const AuthInfo& info, std::size_t packet_limit) {
  Request request(OpCode::kAddAuth, Path());
  request.set_details(RequestDetails(Text(info.scheme)));
  request.data = info.credential;
  return exceeds(request, packet_limit);
}

// The chroot comes once, after the last server. ZooKeeper's clients take everything after the first
// slash for it, and would lock below it.
std::optional<std::string> defect_of_chroot(const Path& chroot) {
  const std::string text = chroot.string();
  if (!internal::client_takes(chroot.view())) {
    return "the chroot \"" + text + "\" is not a path of ZooKeeper";
  }
  const std::size_t comma = text.find(',');
  if (comma != text.npos && text.find(':', comma) != text.npos) {
    return "the chroot \"" + text + "\" names a server: it comes once, after all servers";
  }
  return std::nullopt;
}

// The C client doubles the length of its buffer, in an int, until a request fits (recordio.c,
// resize_buffer): with a longer request it would never return.
std::optional<std::string> defect_of_packets(const Options& options) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 30;
  const std::size_t limit = options.packet_limit;
  if (limit > kMostBytes) {
    return "the packet limit of " + std::to_string(limit) + " bytes is above " +
           std::to_string(kMostBytes);
  }
  const auto too_long = [limit](const AuthInfo& info) { return exceeds_limit(info, limit); };
  if (std::ranges::any_of(options.auth, too_long)) {
    return "a credential is longer than the packet limit";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> Options::defect() const {
  const ServerList list(servers());
  if (list.defect()) return list.defect();
  if (std::optional<std::string> defect = defect_of_chroot(chroot())) return defect;
  static_assert(
      kLongestSessionTimeout < std::chrono::milliseconds(1) * (std::numeric_limits<int>::max() / 2),
      "the C client doubles it, in an int");
  if (session_timeout < kShortestSessionTimeout || session_timeout > kLongestSessionTimeout) {
    return "the session timeout of " + in_ms(session_timeout) + " is not between " +
           in_ms(kShortestSessionTimeout) + " and " + in_ms(kLongestSessionTimeout);
  }
  if (connect_budget && *connect_budget <= Duration(0)) return "the connect budget is not positive";
  if (!is_fencing_epoch(fencing_epoch)) return "the fencing epoch is not between 0 and 127";
  if (!std::ranges::all_of(auth, &takes)) return "the scheme of a credential is empty or has a NUL";
  if (std::optional<std::string> defect = defect_of_packets(*this)) return defect;
  if (max_sessions == 0) return "max_sessions is 0";
  if (spare_session_time <= Duration(0)) return "spare_session_time is not positive";
  return missing_feature(*this);
}

std::string Options::servers() const {
  return connection_string.substr(0, connection_string.find('/'));
}

// A single slash is not a chroot for the C client (zookeeper.c, zookeeper_init_internal).
Path Options::chroot() const {
  const std::size_t slash = connection_string.find('/');
  return slash == std::string::npos ? Path() : Path(connection_string.substr(slash));
}

LogSink log_to_stderr() {
  return [](std::string_view line) {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
  };
}

}  // namespace lockstep::zookeeper
