#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench_ground.h"
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
// A server that has just started has compiled nothing yet.
constexpr double kWarmUpOfOwnServerS = 2;

// A figure measured in every turn; the median counts.
class Series {
 public:
  Series(std::string name, std::string_view unit) : name_(std::move(name)), unit_(unit) {}
  void add(double value) { values_.push_back(value); }
  [[nodiscard]] Figure figure() const { return {name_, median(values_), unit_}; }

 private:
  std::string name_;
  std::string_view unit_;
  std::vector<double> values_;
};

constexpr std::string_view kLocks = "locks/s";
constexpr std::string_view kHandoffs = "handoffs/s";
constexpr std::string_view kMicroseconds = "us";
constexpr std::string_view kShare = "of the floor";

struct Both {
  MeasuredLocks ours;
  CClientFloor::Measured floor;
};

// Our locks per second, the floor's, and the ratio of the two.
class Pair {
 public:
  Pair(const std::string& name, std::string_view unit)
      : ours_(name, unit), floor_("floor_" + name, unit), share_(name + "_share", kShare) {}
  void add(const Both& both) {
    ours_.add(both.ours.per_second);
    floor_.add(both.floor.per_second);
    share_.add(both.ours.per_second / both.floor.per_second);
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
  Measurement(const std::string& servers, const BenchSettings& settings)
      : turn_(settings.seconds / kTurns),
        least_warm_up_s_(settings.zookeeper.empty() ? kWarmUpOfOwnServerS : 0),
        contenders_(settings.contenders),
        ground_(servers, kInFlight),
        ours_(servers, contenders_),
        floor_(servers, contenders_) {}

  Figures measure() {
    warm_up();
    for (int turn = 0; turn < kTurns; ++turn) {
      is_ours_first_ = turn % 2 == 1;
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
    const double half = std::max(turn_, least_warm_up_s_ / 2);
    static_cast<void>(floor_.alone(ground_.many(), FloorRelease::kAwaited, Time(half)));
    ours_.prove(ground_.one(), contenders_, half);
  }

  // Measures one after the other, and in the opposite order in the next turn, because the server is
  // warmer for the second.
  template <class Ours, class Floor>
  [[nodiscard]] Both both(Ours ours, Floor floor) const {
    Both both{};
    if (is_ours_first_) both.ours = ours();
    both.floor = floor();
    if (!is_ours_first_) both.ours = ours();
    return both;
  }
  [[nodiscard]] Both alone(const std::vector<std::string>& locks, OurRelease ours,
                           FloorRelease floor) {
    return both([&] { return ours_.alone(locks, ours, turn_); },
                [&] { return floor_.alone(locks, floor, Time(turn_)); });
  }
  [[nodiscard]] Both handoffs(std::size_t sessions, std::size_t contenders) {
    return both([&] { return ours_.handoffs(ground_.one(), sessions, contenders, turn_); },
                [&] { return floor_.handoffs(ground_.one(), sessions, contenders, Time(turn_)); });
  }

  void uncontended() {
    const std::vector<std::string> one = {ground_.one()};
    const Both awaited = alone(one, OurRelease::kAwaited, FloorRelease::kAwaited);
    awaited_.add(awaited);
    floor_cycle_.add(awaited.floor.median_us);
    cycle_.add(awaited.ours.cycle_median_us);
    floor_create_.add(floor_.creates(ground_.one(), Time(turn_)).median_us);
    acquire_.add(awaited.ours.acquire_median_us);
    handed_off_.add(alone(one, OurRelease::kHandedOff, FloorRelease::kHandedOff));
  }

  void in_flight() {
    in_flight_.add(alone(ground_.many(), OurRelease::kAwaited, FloorRelease::kAwaited));
  }

  void queues() {
    sessions_.add(handoffs(contenders_, 1));
    waiters_.add(handoffs(1, contenders_));
    local_.add(ours_.local(ground_.one(), contenders_, turn_).per_second);
  }

  [[nodiscard]] std::string handoff(const char* of) const {
    return "handoff_" + std::to_string(contenders_) + "_" + of;
  }

  const double turn_;
  const double least_warm_up_s_;
  const std::size_t contenders_;
  BenchGround ground_;
  RealLocks ours_;
  CClientFloor floor_;
  bool is_ours_first_ = false;
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

void measure_real(const BenchSettings& settings, const TakeFigure& take) {
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
  for (const Figure& figure : Measurement(servers, settings).measure()) take(figure);
}

}  // namespace lockstep::program
