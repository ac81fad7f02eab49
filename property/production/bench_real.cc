#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "c_client_floor.h"
#include "commands.h"
#include "lockstep/zookeeper/options.h"
#include "own_server.h"
#include "program/usage.h"
#include "real_locks.h"

namespace lockstep::program {

namespace {

using zookeeper::CClientFloor;

constexpr std::size_t kInFlight = 256;
// Our locks and the floor take turns, so that a slow minute of the machine affects both.
constexpr int kTurns = 5;

// The znodes of a measurement, deleted at its end.
class Ground {
 public:
  explicit Ground(CClientFloor& floor) : floor_(floor) {
    root_ = "/lockstep-bench-" + std::to_string(std::random_device()());
    one_ = root_ + "/one";
    for (std::size_t i = 0; i < kInFlight; ++i) many_.push_back(root_ + "/" + std::to_string(i));
    floor_.make({root_, one_});
    floor_.make(many_);
  }
  Ground(const Ground&) = delete;
  Ground& operator=(const Ground&) = delete;
  ~Ground() {
    floor_.remove(many_);
    floor_.remove({one_, root_});
  }
  [[nodiscard]] const std::string& one() const { return one_; }
  [[nodiscard]] const std::vector<std::string>& many() const { return many_; }

 private:
  CClientFloor& floor_;
  std::string root_;
  std::string one_;
  std::vector<std::string> many_;
};

// A figure measured in every turn; the median counts.
class Series {
 public:
  Series(std::string name, std::string_view unit) : name_(std::move(name)), unit_(unit) {}
  void add(double value) { values_.push_back(value); }
  [[nodiscard]] Figure figure() const {
    std::vector<double> sorted = values_;
    std::ranges::sort(sorted);
    return {name_, sorted[sorted.size() / 2], unit_};
  }

 private:
  std::string name_;
  std::string_view unit_;
  std::vector<double> values_;
};

constexpr std::string_view kLocks = "locks/s";
constexpr std::string_view kHandoffs = "handoffs/s";
constexpr std::string_view kMicroseconds = "us";
constexpr std::string_view kShare = "of the floor";

// Our locks per second, the floor's, and the ratio of the two.
class Pair {
 public:
  Pair(const std::string& name, std::string_view unit)
      : ours_(name, unit), floor_("floor_" + name, unit), share_(name + "_share", kShare) {}
  void add(double ours, double floor) {
    ours_.add(ours);
    floor_.add(floor);
    share_.add(ours / floor);
  }
  void append_to(Figures& figures) const {
    for (const Series* series : {&ours_, &floor_, &share_}) figures.push_back(series->figure());
  }

 private:
  Series ours_;
  Series floor_;
  Series share_;
};

// One measurement of everything, on warm servers.
class Measurement {
 public:
  Measurement(const std::string& servers, std::size_t contenders, double seconds)
      : turn_(seconds / kTurns),
        contenders_(contenders),
        ours_(servers, contenders),
        floor_(servers, contenders),
        ground_(floor_) {}

  Figures measure() {
    warm_up();
    for (int turn = 0; turn < kTurns; ++turn) {
      uncontended();
      in_flight();
      queues();
    }
    Figures figures;
    for (const Pair* pair : {&handed_off_, &awaited_, &sessions_, &waiters_, &in_flight_}) {
      pair->append_to(figures);
    }
    figures.push_back(local_.figure());
    for (const Series* series : {&cycle_, &floor_cycle_, &acquire_, &floor_create_}) {
      figures.push_back(series->figure());
    }
    return figures;
  }

 private:
  using Time = std::chrono::duration<double>;
  using FloorRelease = CClientFloor::Release;
  using OurRelease = RealLocks::Release;

  // Lets the servers' virtual machines compile their hot code.
  void warm_up() {
    static_cast<void>(floor_.alone(ground_.many(), FloorRelease::kAwaited, Time(turn_)));
    ours_.prove(ground_.one(), contenders_, turn_);
  }

  void uncontended() {
    const std::vector<std::string> one = {ground_.one()};
    const auto floor = floor_.alone(one, FloorRelease::kAwaited, Time(turn_));
    const MeasuredLocks ours = ours_.alone(one, OurRelease::kAwaited, turn_);
    awaited_.add(ours.per_second, floor.per_second);
    floor_cycle_.add(floor.median_us);
    cycle_.add(ours.cycle_median_us);
    floor_create_.add(floor_.creates(ground_.one(), Time(turn_)).median_us);
    acquire_.add(ours.acquire_median_us);
    const auto quick = floor_.alone(one, FloorRelease::kHandedOff, Time(turn_));
    handed_off_.add(ours_.alone(one, OurRelease::kHandedOff, turn_).per_second, quick.per_second);
  }

  void in_flight() {
    const auto floor = floor_.alone(ground_.many(), FloorRelease::kAwaited, Time(turn_));
    const MeasuredLocks ours = ours_.alone(ground_.many(), OurRelease::kAwaited, turn_);
    in_flight_.add(ours.per_second, floor.per_second);
  }

  void queues() {
    const std::string& one = ground_.one();
    const auto sessions = floor_.handoffs(one, contenders_, 1, Time(turn_));
    sessions_.add(ours_.handoffs(one, contenders_, 1, turn_).per_second, sessions.per_second);
    const auto waiters = floor_.handoffs(one, 1, contenders_, Time(turn_));
    waiters_.add(ours_.handoffs(one, 1, contenders_, turn_).per_second, waiters.per_second);
    local_.add(ours_.local(one, contenders_, turn_).per_second);
  }

  [[nodiscard]] std::string handoff(const char* of) const {
    return "handoff_" + std::to_string(contenders_) + "_" + of;
  }

  const double turn_;
  const std::size_t contenders_;
  RealLocks ours_;
  CClientFloor floor_;
  Ground ground_;
  Pair handed_off_{"uncontended", kLocks};
  Pair awaited_{"uncontended_awaited", kLocks};
  Pair sessions_{handoff("sessions"), kHandoffs};
  Pair waiters_{handoff("waiters_one_session"), kHandoffs};
  Pair in_flight_{"locks_in_flight_256", kLocks};
  // Has no floor: hardly any handoff sends a request.
  Series local_{handoff("waiters_local"), kHandoffs};
  Series cycle_{"uncontended_latency_p50", kMicroseconds};
  Series floor_cycle_{"floor_uncontended_latency_p50", kMicroseconds};
  Series acquire_{"acquire_latency_p50", kMicroseconds};
  Series floor_create_{"floor_create_latency_p50", kMicroseconds};
};

}  // namespace

Figures measure_real(const BenchSettings& settings) {
  std::optional<OwnServer> own;
  std::string servers = settings.zookeeper;
  if (servers.empty()) {
    own.emplace(settings.force_sync);
    servers = own->address();
  } else if (settings.force_sync) {
    throw UsageError("bench real: --force-sync needs a server that it starts, not --zookeeper");
  }
  if (const auto defect = zookeeper::Options(servers).defect()) {
    throw UsageError("--zookeeper " + servers + ": " + *defect);
  }
  return Measurement(servers, settings.contenders, settings.seconds).measure();
}

}  // namespace lockstep::program
