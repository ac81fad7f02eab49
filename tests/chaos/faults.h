#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "chaos/collector.h"
#include "chaos/contender_process.h"
#include "chaos/draw.h"
#include "chaos/servers.h"
#include "real/tcp_proxy.h"

namespace lockstep::chaos {

// The driver's view of a contender process: the proxies between it and the servers, and the
// process, which is replaced after a kill.
struct Site {
  int number = 0;
  int life = 0;
  std::chrono::milliseconds session_timeout{};
  std::deque<support::TcpProxy> ways;  // One to each server.
  std::unique_ptr<ContenderProcess> process;
  bool disturbed = false;  // A lasting fault is active.
};

// Strikes random faults drawn from the seed, and ends them.
class Faults {
 public:
  // `restart` starts a site's process again. All arguments outlive this object.
  Faults(std::uint64_t seed, Servers& servers, std::deque<Site>& sites, Collector& collector,
         std::function<void(Site&)> restart);

  // Begins and ends faults for that time.
  void strike(std::chrono::milliseconds time);
  // Ends all faults, and waits until the servers serve again. Throws if they do not.
  void heal();

  [[nodiscard]] std::uint64_t struck() const { return struck_; }

 private:
  using Instant = std::chrono::steady_clock::time_point;
  struct Fault {
    std::string what;
    Instant end;
    std::function<void()> undo;
  };

  void begin_one();
  void disturb_network(Site& site);
  void disturb_process(Site& site);
  void disturb_servers();
  void end_those_due(Instant now);
  void begin(std::string what, std::chrono::milliseconds time, std::function<void()> undo);
  void note(const std::string& what, int process = -1);
  void cut_off(Site& site, std::chrono::milliseconds time);
  void stop_process(Site& site, std::chrono::milliseconds time);

  Draw draw_;
  Servers& servers_;
  std::deque<Site>& sites_;
  Collector& collector_;
  std::function<void(Site&)> restart_;
  std::vector<Fault> under_way_;
  std::uint64_t struck_ = 0;
};

}  // namespace lockstep::chaos
