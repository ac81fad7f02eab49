#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::zookeeper {

// Why a session has no connection: the last failure of each server, of the 64 that have failed
// last, or what the session waits for. Thread-safe.
class FailureLog {
 public:
  // `subject` is an address, a host name or "session". False if the same reason was noted before.
  bool note(std::string_view subject, std::string_view reason);
  // The session waits for this server or name, and its caller may give up first. The text then says
  // `state`, unless it knows a reason or has no room. No news for a log.
  void wait_for(std::string_view subject, std::string_view state);
  // The name has resolved, so what was noted about it is no longer why there is no connection.
  void forget(std::string_view subject);
  // Call it when there is a connection.
  void clear();
  // "10.0.0.1:2181: Connection refused; zk2: the name does not resolve: ...", the latest failure
  // last. Begins with the number of others if more than 32 have failed: "3 others; ...". Empty if
  // nothing went wrong, and nothing is awaited.
  [[nodiscard]] std::string text() const;

 private:
  using Reasons = std::vector<std::pair<std::string, std::string>>;

  [[nodiscard]] Reasons::iterator find(std::string_view subject);

  mutable std::mutex mutex_;
  Reasons reasons_;
};

}  // namespace lockstep::zookeeper
