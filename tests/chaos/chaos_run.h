#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "chaos/collector.h"
#include "chaos/faults.h"
#include "chaos/judge.h"
#include "chaos/servers.h"
#include "real/temporary_directory.h"

namespace lockstep::chaos {

// The parameters of a run.
struct Plan {
  std::uint64_t seed = 0;
  int processes = 4;
  int rounds = 1;  // After each, all faults are healed, and the run comes to rest and is judged.
  std::chrono::milliseconds chaos{};  // The length of each round's faults; zero for none.
  // The session timeouts, which the processes use in turn.
  std::vector<std::chrono::milliseconds> session_timeouts = {
      std::chrono::seconds(2), std::chrono::seconds(3), std::chrono::seconds(4)};
  std::chrono::milliseconds patience{
      std::chrono::seconds(90)};  // The limit for each thing that must happen.
  // The limit for what must happen once all are at rest.
  std::chrono::milliseconds patience_at_rest{std::chrono::seconds(90)};
  Flaw flaw = Flaw::kNone;
  bool again_without_faults = false;  // Add one more round without faults.
};

// Contenders in several processes, each behind its own proxies, and the faults that strike them and
// the servers. Use it on one thread; runs without faults may share servers.
class ChaosRun {
 public:
  ChaosRun(Servers& servers, const Plan& plan);
  ~ChaosRun();
  ChaosRun(const ChaosRun&) = delete;
  ChaosRun& operator=(const ChaosRun&) = delete;

  // Runs to the end, or to the end of the first round with a finding. Rethrows the servers'
  // exceptions.
  void run();

  [[nodiscard]] const std::vector<Violation>& violations() const { return violations_; }
  // The checks with findings.
  [[nodiscard]] std::set<std::string> failed_checks() const;
  // The first violations, with the events around them.
  [[nodiscard]] std::string report() const;
  [[nodiscard]] const Judged& judged() const { return judged_; }
  // The figures of the run as text.
  [[nodiscard]] std::string figures() const;

 private:
  void start(Site& site);
  [[nodiscard]] std::vector<std::string> arguments_of(const Site& site) const;
  [[nodiscard]] bool one_round(std::chrono::milliseconds chaos);
  void finish();
  bool wait_until_served();
  bool wait_until_at_rest(Command how);
  [[nodiscard]] std::string busy_workers();
  [[nodiscard]] std::string histories();
  void check_rest(const std::vector<Event>& rests);
  void check_memory(const Event& rest);
  void check_orphans();
  void check_ends();
  void check_errors();
  void judge();
  [[nodiscard]] bool wait(const std::function<bool(const std::vector<Event>&)>& done,
                          std::chrono::milliseconds patience);
  void command(Command command);
  void violated(std::string check, std::string what);
  [[nodiscard]] std::string around(const Violation& violation) const;

  Servers& servers_;
  Plan plan_;
  std::string root_;
  support::TemporaryDirectory directory_;
  Collector collector_;
  std::deque<Site> sites_;
  std::unique_ptr<Faults> faults_;
  std::vector<std::filesystem::path> errors_;
  std::map<std::pair<int, int>, Event> first_rest_;  // Per life of a process.
  std::vector<Event> events_;                        // The events of the current round.
  std::vector<Violation> violations_;
  Judged judged_;
  int rests_ = 0;
  // The longest time from healing until the last worker was served again, by kind of lock.
  std::map<LockKind, std::chrono::nanoseconds> slowest_;
  std::int64_t grown_ = 0;  // The largest growth.
};

}  // namespace lockstep::chaos
