#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "c_client_floor.h"
#include "lockstep/context.h"
#include "lockstep/session.h"
#include "lockstep/zookeeper/client.h"
#include "lockstep/zookeeper/runtime.h"

namespace lockstep::program {

// The locks of a measurement, on a session of their own. Each is a container with an ephemeral
// child that keeps it from being reaped while the lock is free. The destructor deletes them;
// without it, as after a signal, the servers delete them some time after the sessions have expired.
// Destroy all users of the locks first.
class BenchGround {
 public:
  // The name of the ephemeral.
  static constexpr std::string_view kKeeper = zookeeper::CClientFloor::kKeeper;

  // Throws std::runtime_error if the servers refuse it, UsageError without a connection.
  BenchGround(const std::string& servers, std::size_t locks);
  BenchGround(const BenchGround&) = delete;
  BenchGround& operator=(const BenchGround&) = delete;
  ~BenchGround();

  // A lock that is none of many().
  [[nodiscard]] const std::string& one() const { return one_; }
  [[nodiscard]] const std::vector<std::string>& many() const { return many_; }

 private:
  Task<void> make();
  Task<void> make_lock(std::string path);
  Task<void> remove();
  Task<void> remove_lock(std::string path, Context bounds);
  [[nodiscard]] std::vector<std::string> all() const;

  std::string root_;
  std::string one_;
  std::vector<std::string> many_;
  zookeeper::Runtime runtime_;
  zookeeper::Client client_;
  std::shared_ptr<Session> session_;
};

}  // namespace lockstep::program
