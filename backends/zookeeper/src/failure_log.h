#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::zookeeper {

// Why a session has no connection: the last failure of each server, of the 64 that have failed
// last. Thread-safe.
class FailureLog {
 public:
  // `subject` is an address, a host name or "session". False if the same reason was noted before.
  bool note(std::string_view subject, std::string_view reason);
  // Call it when there is a connection.
  void clear();
  // "10.0.0.1:2181: Connection refused; zk2: the name does not resolve: ...", the latest failure
  // last. Begins with the number of others if more than 32 have failed: "3 others; ...". Empty if
  // nothing went wrong.
  [[nodiscard]] std::string text() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<std::string, std::string>> reasons_;
};

}  // namespace lockstep::zookeeper
