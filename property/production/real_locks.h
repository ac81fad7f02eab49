#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/cohort_mutex.h"
#include "lockstep/session.h"
#include "lockstep/zookeeper/client.h"
#include "lockstep/zookeeper/runtime.h"

namespace lockstep::program {

class Tally;

// The result of a measurement of many lock cycles.
struct MeasuredLocks {
  double per_second = 0;
  double cycle_median_us = 0;    // From the call of acquire() to the end of the cycle.
  double acquire_median_us = 0;  // From the call of acquire() to the grant.
};

// Measures cycles of FairMutex and CohortMutex on real servers, as a user of the library sees them.
// Every measurement checks that no two contenders of a lock hold together (a holder gives way to
// the others before it releases), that tokens grow, that releases succeed, and that no znode is
// left but BenchGround::kKeeper; otherwise it throws std::runtime_error. Throws UsageError without
// a connection.
class RealLocks {
 public:
  enum class Release { kAwaited, kHandedOff };

  RealLocks(const std::string& servers, std::size_t sessions);
  RealLocks(const RealLocks&) = delete;
  RealLocks& operator=(const RealLocks&) = delete;
  ~RealLocks();

  // One contender for each of these locks, all on the first session.
  [[nodiscard]] MeasuredLocks alone(const std::vector<std::string>& locks, Release release,
                                    double seconds);
  // `contenders` contenders of one lock on each of the first `sessions` sessions.
  [[nodiscard]] MeasuredLocks handoffs(const std::string& lock, std::size_t sessions,
                                       std::size_t contenders, double seconds);
  // One contender on each of the first `sessions` sessions. Each holder also asks the server
  // whether the previous holder's znode is gone, which takes too long for a measurement.
  void prove(const std::string& lock, std::size_t sessions, double seconds);
  // That many contenders of one CohortMutex on the first session, within the default CohortBounds.
  [[nodiscard]] MeasuredLocks local(const std::string& lock, std::size_t contenders,
                                    double seconds);

 private:
  Task<void> open();
  // The end of one measurement.
  [[nodiscard]] TimePoint in(double seconds) const;
  [[nodiscard]] static MeasuredLocks measured(Tally& tally, Duration time);
  [[nodiscard]] Task<void> await_releases(Path lock);
  [[nodiscard]] Task<void> check_that_nothing_is_left(std::vector<std::string> locks);
  // Runs the contenders of these locks; returns the time since `start` at which their work ended.
  Duration run_all(std::vector<Task<void>> contenders, const std::vector<std::string>& locks,
                   Release release, TimePoint start);

  zookeeper::Runtime runtime_;
  std::vector<std::unique_ptr<zookeeper::Client>> clients_;
  std::vector<std::shared_ptr<Session>> sessions_;
};

}  // namespace lockstep::program
