#include "real_locks.h"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>

#include "lockstep/fair_mutex.h"
#include "lockstep/when_all.h"
#include "lockstep/within.h"
#include "lockstep/zookeeper/options.h"
#include "program/bench.h"
#include "program/usage.h"

namespace lockstep::program {

namespace {

constexpr std::chrono::seconds kConnectLimit(10);

double microseconds(Duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

// The grants of one lock in their order.
class RealLocks::Tally {
 public:
  void granted(CohortToken token, Duration acquire) {
    expect(!std::exchange(inside_, true), "two contenders hold one lock");
    expect(std::exchange(newest_, token) < token, "a lock is not granted in the order of arrival");
    acquires_us.push_back(microseconds(acquire));
  }
  void leaves() { inside_ = false; }
  void cycle_took(Duration cycle) { cycles_us.push_back(microseconds(cycle)); }

  std::vector<double> acquires_us;
  std::vector<double> cycles_us;

 private:
  bool inside_ = false;
  CohortToken newest_{0, 0};
};

RealLocks::RealLocks(const std::string& servers, std::size_t sessions) {
  for (std::size_t i = 0; i < sessions; ++i) {
    clients_.push_back(std::make_unique<zookeeper::Client>(runtime_, zookeeper::Options(servers)));
  }
  runtime_.run(open());
}

RealLocks::~RealLocks() = default;

Task<void> RealLocks::open() {
  for (const auto& client : clients_) {
    const Context bounds = within(runtime_, kConnectLimit);
    const auto session = co_await client->session(bounds);
    if (!session) throw UsageError("bench real: no server answers: " + client->last_failure());
    sessions_.push_back(*session);
  }
}

Task<void> RealLocks::contend(Session& session, Path lock, Release release, TimePoint end,
                              Tally& tally) {
  FairMutex mutex(session, std::move(lock));
  Executor& executor = session.executor();
  TimePoint began = executor.now();
  do {
    Result<HeldLock> held = co_await mutex.acquire();
    expect(held.has_value(), "an acquire fails");
    tally.granted(CohortToken(held->fencing_token(), 1), executor.now() - began);
    tally.leaves();
    if (release == Release::kAwaited) {
      const ReleaseOutcome outcome = co_await held->release();
      expect(outcome == ReleaseOutcome::kReleased, "a release fails");
    } else {
      release_in_background(session, std::move(*held));
    }
    const TimePoint over = executor.now();
    tally.cycle_took(over - began);
    began = over;
  } while (began < end);
}

Task<void> RealLocks::contend(CohortMutex& mutex, Executor& executor, TimePoint end, Tally& tally) {
  TimePoint began = executor.now();
  do {
    Result<CohortMutex::Hold> hold = co_await mutex.acquire();
    expect(hold.has_value(), "an acquire fails");
    tally.granted(hold->fencing_token(), executor.now() - began);
    tally.leaves();
    const ReleaseOutcome outcome = co_await hold->release();
    expect(outcome == ReleaseOutcome::kReleased, "a release fails");
    const TimePoint over = executor.now();
    tally.cycle_took(over - began);
    began = over;
  } while (began < end);
}

// A release that was handed off is part of the work: its request precedes this one, and so does its
// answer.
Task<void> RealLocks::await_releases(Path lock) {
  const Result<void> synced = co_await sessions_.front()->sync(std::move(lock));
  expect(synced.has_value(), "a sync fails");
}

Task<void> RealLocks::check_that_nothing_is_left(std::vector<std::string> locks) {
  co_await await_releases(locks.front());  // Shows the first session what the others have deleted.
  for (const std::string& lock : locks) {
    const Result<Children> left = co_await sessions_.front()->get_children(lock);
    expect(left.has_value() && left->empty(), "a znode is left");
  }
}

// The check at the end is not part of the time: it costs the more, the shorter the measurement is.
Duration RealLocks::run_all(std::vector<Task<void>> contenders,
                            const std::vector<std::string>& locks, Release release,
                            TimePoint start) {
  runtime_.run(when_all(std::move(contenders)));
  if (release == Release::kHandedOff) runtime_.run(await_releases(locks.front()));
  const Duration gone = runtime_.now() - start;
  runtime_.run(check_that_nothing_is_left(locks));
  return gone;
}

TimePoint RealLocks::in(double seconds) const {
  return runtime_.now() + std::chrono::ceil<Duration>(std::chrono::duration<double>(seconds));
}

MeasuredLocks RealLocks::measured(Tally& tally, Duration time) {
  const std::chrono::duration<double> gone = time;
  return {static_cast<double>(tally.cycles_us.size()) / gone.count(), median(tally.cycles_us),
          median(tally.acquires_us)};
}

MeasuredLocks RealLocks::alone(const std::vector<std::string>& locks, Release release,
                               double seconds) {
  const TimePoint start = runtime_.now();
  const TimePoint end = in(seconds);
  std::deque<Tally> tallies(locks.size());
  std::vector<Task<void>> contenders;
  for (std::size_t i = 0; i < locks.size(); ++i) {
    contenders.push_back(contend(*sessions_.front(), locks[i], release, end, tallies[i]));
  }
  const std::chrono::duration<double> gone = run_all(std::move(contenders), locks, release, start);
  std::vector<double> cycles;
  std::vector<double> acquires;
  for (const Tally& tally : tallies) {
    std::ranges::copy(tally.cycles_us, std::back_inserter(cycles));
    std::ranges::copy(tally.acquires_us, std::back_inserter(acquires));
  }
  return {static_cast<double>(cycles.size()) / gone.count(), median(cycles), median(acquires)};
}

MeasuredLocks RealLocks::handoffs(const std::string& lock, std::size_t sessions,
                                  std::size_t contenders, double seconds) {
  const TimePoint start = runtime_.now();
  const TimePoint end = in(seconds);
  Tally tally;
  std::vector<Task<void>> all;
  for (std::size_t i = 0; i < sessions * contenders; ++i) {
    all.push_back(contend(*sessions_[i % sessions], lock, Release::kAwaited, end, tally));
  }
  const Duration gone = run_all(std::move(all), {lock}, Release::kAwaited, start);
  return measured(tally, gone);
}

MeasuredLocks RealLocks::local(const std::string& lock, std::size_t contenders, double seconds) {
  CohortMutex mutex(*sessions_.front(), lock);
  const TimePoint start = runtime_.now();
  const TimePoint end = in(seconds);
  Tally tally;
  std::vector<Task<void>> all;
  for (std::size_t i = 0; i < contenders; ++i) {
    all.push_back(contend(mutex, runtime_, end, tally));
  }
  const Duration gone = run_all(std::move(all), {lock}, Release::kAwaited, start);
  return measured(tally, gone);
}

}  // namespace lockstep::program
