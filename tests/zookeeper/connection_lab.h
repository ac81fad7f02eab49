#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/sleep.h"
#include "lockstep/zookeeper/client.h"
#include "lockstep/zookeeper/runtime.h"
#include "real/loopback.h"
#include "real/tcp_proxy.h"
#include "real/zookeeper_server.h"
#include "support/error_of.h"

// Shared parts of connection tests: opening clients, silent servers, changing names.
namespace lockstep::zookeeper::connection_lab {

using support::error_of;
using support::TcpProxy;
using support::ZookeeperServer;

using OpenResult = Result<std::shared_ptr<lockstep::Session>>;

inline constexpr std::chrono::seconds kSessionTimeout(12);
inline constexpr std::chrono::seconds kTestLimit(60);

inline std::string port_behind(const std::string& address) {
  return address.substr(address.find(':'));
}

inline Task<void> open_into(Client& client, lockstep::Context context, OpenResult& result) {
  result = co_await client.session(std::move(context));
}

inline Task<void> begin_opening(Client& client) {
  static_cast<void>(co_await client.session(lockstep::Context()));
}

inline OpenResult open(Runtime& runtime, Client& client, Duration limit = kTestLimit) {
  OpenResult result = failure(Error::kNothing);
  runtime.run(open_into(client, lockstep::Context(runtime.now() + limit), result));
  return result;
}

// Polls a condition that sends no notification.
inline Task<void> until(Runtime& runtime, std::function<bool()> happened) {
  const TimePoint end = runtime.now() + kTestLimit;
  while (!happened()) {
    if (runtime.now() > end) throw std::runtime_error("the awaited condition does not come true");
    static_cast<void>(co_await sleep_for(runtime, std::chrono::milliseconds(2)));
  }
}

inline Task<void> until_it_says(Runtime& runtime, Client& client, std::string text) {
  const std::function<bool()> says = [&client, &text] {
    return client.last_failure().find(text) != std::string::npos;
  };
  co_await until(runtime, says);
}

// A server whose kernel accepts connections and that never answers.
class SilentServer {
 public:
  SilentServer() : listener_(support::listen_on(0)) {}
  ~SilentServer() { close(listener_); }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;
  [[nodiscard]] std::string address() const {
    return "127.0.0.1:" + std::to_string(support::port_of(listener_));
  }

 private:
  int listener_;
};

inline std::string refused_address() {
  return "127.0.0.1:" + std::to_string(support::refusing_port());
}

// A resolver whose names can change; counts the lookups.
class Names {
 public:
  void set(ResolveResult result) {
    const std::lock_guard lock(mutex_);
    result_ = std::move(result);
  }
  [[nodiscard]] int asked() const { return asked_; }
  [[nodiscard]] Resolver resolver() {
    return [this](const std::string&) {
      ++asked_;
      const std::lock_guard lock(mutex_);
      return result_;
    };
  }

 private:
  std::mutex mutex_;
  std::atomic<int> asked_ = 0;
  ResolveResult result_ = std::vector<std::string>{"127.0.0.1"};
};

class NamedServerTest : public ::testing::Test {
 protected:
  NamedServerTest()
      : proxy(ZookeeperServer::shared().port()), client(runtime, options(proxy, names)) {}

  static Options options(const TcpProxy& proxy, Names& names) {
    Options options("the-server" + port_behind(proxy.address()), kSessionTimeout);
    options.resolver = names.resolver();
    return options;
  }

  Names names;
  Runtime runtime;
  TcpProxy proxy;
  Client client;
};

}  // namespace lockstep::zookeeper::connection_lab
