#include "real_locks.h"

#include <algorithm>
#include <coroutine>
#include <deque>
#include <iterator>
#include <optional>
#include <utility>

#include "bench_ground.h"
#include "lock_cycles.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/when_all.h"
#include "lockstep/within.h"
#include "lockstep/zookeeper/options.h"
#include "program/bench.h"
#include "program/usage.h"

namespace lockstep::program {

namespace {

constexpr std::chrono::seconds kConnectLimit(10);

bool is_empty(const Children& lock) {
  return std::ranges::all_of(lock.names(), [](auto name) { return name == BenchGround::kKeeper; });
}

// Nobody else wants the lock.
struct Alone {
  std::suspend_never operator()(const HeldLock&) const { return {}; }
};

class GivesWay {
 public:
  explicit GivesWay(zookeeper::Runtime& runtime) : runtime_(runtime) {}
  GiveWay operator()(const auto&) const { return GiveWay(runtime_); }

 private:
  zookeeper::Runtime& runtime_;
};

struct AwaitedRelease {
  Task<ReleaseOutcome> operator()(auto& held) const { return held.release(); }
};

// Does not wait for the outcome.
class HandedOffRelease {
 public:
  struct Taken : std::suspend_never {
    [[nodiscard]] static ReleaseOutcome await_resume() { return ReleaseOutcome::kReleased; }
  };
  explicit HandedOffRelease(Session& session) : session_(session) {}
  Taken operator()(HeldLock& held) const {
    release_in_background(session_, std::move(held));
    return {};
  }

 private:
  Session& session_;
};

template <class Inside, class Leave>
Task<void> contend_for(Session& session, Path lock, TimePoint end, Tally& tally, Inside inside,
                       Leave leave) {
  FairMutex mutex(session, std::move(lock));
  co_await contend(mutex, session.executor(), end, tally, inside, leave);
}

}  // namespace

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
    expect(left.has_value() && is_empty(*left), "a znode is left");
  }
}

// The check at the end is not part of the time: it would weigh more, the shorter the measurement
// is.
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
  return {static_cast<double>(tally.cycles_us.size()) / gone.count(),
          median(std::move(tally.cycles_us)), median(std::move(tally.acquires_us))};
}

MeasuredLocks RealLocks::alone(const std::vector<std::string>& locks, Release release,
                               double seconds) {
  const TimePoint start = runtime_.now();
  const TimePoint end = in(seconds);
  Session& session = *sessions_.front();
  std::deque<Tally> tallies(locks.size());
  std::vector<Task<void>> contenders;
  for (std::size_t i = 0; i < locks.size(); ++i) {
    contenders.push_back(
        release == Release::kAwaited
            ? contend_for(session, locks[i], end, tallies[i], Alone(), AwaitedRelease())
            : contend_for(session, locks[i], end, tallies[i], Alone(), HandedOffRelease(session)));
  }
  const Duration gone = run_all(std::move(contenders), locks, release, start);
  Tally all;
  for (const Tally& tally : tallies) {
    std::ranges::copy(tally.cycles_us, std::back_inserter(all.cycles_us));
    std::ranges::copy(tally.acquires_us, std::back_inserter(all.acquires_us));
  }
  return measured(all, gone);
}

void RealLocks::prove(const std::string& lock, std::size_t sessions, double seconds) {
  const TimePoint start = runtime_.now();
  const TimePoint end = in(seconds);
  Tally tally;
  std::optional<Path> previous;
  std::vector<Task<void>> all;
  for (std::size_t i = 0; i < sessions; ++i) {
    const PreviousIsGone inside(*sessions_[i], previous);
    all.push_back(contend_for(*sessions_[i], lock, end, tally, inside, AwaitedRelease()));
  }
  run_all(std::move(all), {lock}, Release::kAwaited, start);
}

MeasuredLocks RealLocks::handoffs(const std::string& lock, std::size_t sessions,
                                  std::size_t contenders, double seconds) {
  const TimePoint start = runtime_.now();
  const TimePoint end = in(seconds);
  Tally tally;
  std::vector<Task<void>> all;
  for (std::size_t i = 0; i < sessions * contenders; ++i) {
    all.push_back(contend_for(*sessions_[i % sessions], lock, end, tally, GivesWay(runtime_),
                              AwaitedRelease()));
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
    all.push_back(contend(mutex, runtime_, end, tally, GivesWay(runtime_), AwaitedRelease()));
  }
  const Duration gone = run_all(std::move(all), {lock}, Release::kAwaited, start);
  return measured(tally, gone);
}

}  // namespace lockstep::program
