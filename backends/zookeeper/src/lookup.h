#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "lockstep/zookeeper/resolver.h"

namespace lockstep::zookeeper {

// Resolves names on a thread of its own, one after the other: a resolver may block for as long as
// no DNS server answers.
class Lookup {
 public:
  using Answers = std::map<std::string, ResolveResult>;

  // `done` is called on the lookup's thread, once there are answers to take. Both must be callable
  // as long as this lives.
  Lookup(const Resolver& resolver, std::function<void()> done);
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;
  // Waits for the resolver, as finish() does.
  ~Lookup() = default;

  // Not while it is running. If no thread can be started, the answers say so.
  void start(std::vector<std::string> hosts);
  // From start() until the answers are taken.
  [[nodiscard]] bool is_running() const { return running_; }
  // Returns the answers once they are complete. An exception of the resolver is one, too.
  [[nodiscard]] std::optional<Answers> take();
  // Waits until the resolver has returned; it is not asked for the names that are left.
  void finish();

 private:
  void resolve(const std::stop_token& stop, const std::vector<std::string>& hosts);
  [[nodiscard]] ResolveResult ask(const std::string& host) const;
  void answer(Answers answers);

  const Resolver& resolver_;
  const std::function<void()> done_;
  bool running_ = false;
  std::mutex mutex_;
  std::optional<Answers> answers_;
  std::jthread thread_;  // Last: ends before the rest.
};

}  // namespace lockstep::zookeeper
