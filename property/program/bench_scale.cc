// Many waiters on one lock, and many locks.
#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bench.h"
#include "heap.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/fake/simulation.h"
#include "lockstep/session_observer.h"
#include "lockstep/take_place.h"
#include "processor_time.h"

namespace lockstep::program {

namespace {

// Runs `work` as if in a fresh process: the pools of frames and lists belong to a thread and end
// with it.
template <class Work>
auto in_fresh_thread(Work work) {
  std::optional<decltype(work())> result;
  std::exception_ptr failed;
  std::thread thread([&] {
    try {
      result.emplace(work());
    } catch (...) {
      failed = std::current_exception();
    }
  });
  thread.join();
  if (failed) std::rethrow_exception(failed);
  return *result;
}

// Microseconds of one call on the clock: the median of all calls that fit into `seconds`, because
// other load on this machine only ever adds to some of them. (Reading the processor's time takes as
// long as some calls.) `between` is not measured.
template <class Work, class Between>
double microseconds_each(double seconds, Work work, Between between) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kAtLeast = 50;
  constexpr std::size_t kAtMost = 20'000;  // A simulation keeps its history.
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::vector<double> measured;
  while (measured.size() < kAtLeast || (measured.size() < kAtMost && Clock::now() < end)) {
    const auto start = Clock::now();
    work();
    const std::chrono::duration<double, std::micro> gone = Clock::now() - start;
    measured.push_back(gone.count());
    between();
  }
  return median(std::move(measured));
}

std::size_t znodes_under(fake::Simulation& simulation, const Path& parent) {
  const fakezk::Server& server = simulation.world().server();
  const std::optional<fakezk::PathId> id = server.paths().find(parent.text());
  return id && server.tree().find(*id) ? server.tree().find(*id)->children.size() : 0;
}

// -------------------------------------------------------------------- many waiters on one lock

constexpr std::size_t kWaiters = 10'000;
constexpr std::size_t kSessions = 10;  // All in one process, for any number of waiters.
const char* const kLock = "/lock";

// Requests to the server. Only woken waiters list the queue.
struct Traffic {
  std::size_t requests = 0;
  std::size_t lists = 0;
};

class Counter final : public SessionObserver {
 public:
  void requested(OpCode op) override {
    ++traffic_.requests;
    if (op == OpCode::kGetChildren) ++traffic_.lists;
  }
  [[nodiscard]] const Traffic& traffic() const { return traffic_; }

 private:
  Traffic traffic_;
};

// Sessions of one process, used in turn.
class Sessions {
 public:
  explicit Sessions(fake::Simulation& simulation, SessionObserver* observer = nullptr) {
    for (std::size_t i = 0; i < kSessions; ++i) {
      sessions_.push_back(simulation.open("A"));
      sessions_.back()->set_observer(observer);
    }
  }
  [[nodiscard]] Session& operator[](std::size_t turn) { return *sessions_[turn % kSessions]; }

 private:
  std::vector<std::shared_ptr<fake::FakeSession>> sessions_;
};

// A lock with a holder and waiters. They queue up one after another and must be served in that
// order.
class Queue {
 public:
  explicit Queue(std::size_t waiters) : sessions_(simulation_, &counter_), before_(heap_bytes()) {
    for (std::size_t i = 0; i < kSessions; ++i) mutexes_.emplace_back(sessions_[i], kLock);
    while (joined_ <= waiters) join();
    expect(served_ == 1 && holder_, "the first contender is not the only holder");
    expect(znodes_under(simulation_, kLock) == waiters + 1, "a waiter has no place in the queue");
  }
  ~Queue() { simulation_.end_tasks(); }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // The growth of the heap since the first waiter. It includes each waiter's suspended frames, its
  // place, its watch and its session's records, with the overhead of pools and allocator, and the
  // entry in the server's table of watches. It excludes the rest of the server (see
  // bytes_of_places()).
  [[nodiscard]] std::size_t bytes() const { return heap_bytes() - before_; }

  void join() {
    simulation_.start(contend(*this, mutexes_[joined_ % kSessions], joined_));
    ++joined_;
    simulation_.settle();
  }
  // Releases, and runs until the next contender holds and everything is quiet.
  void hand_over() {
    const std::size_t served = served_ + (served_ < joined_ ? 1 : 0);
    HeldLock released = std::move(*holder_);
    holder_.reset();
    const Traffic before = counter_.traffic();
    const ReleaseOutcome outcome = simulation_.run(released.release());
    simulation_.settle();
    most_.requests = std::max(most_.requests, counter_.traffic().requests - before.requests);
    most_.lists = std::max(most_.lists, counter_.traffic().lists - before.lists);
    expect(outcome == ReleaseOutcome::kReleased, "a release fails");
    expect(served_ == served, "a release does not serve exactly one waiter");
  }
  // The most requests of any handoff so far.
  [[nodiscard]] const Traffic& most() const { return most_; }
  // Does only the list that is part of every handoff.
  void list() {
    expect(simulation_.run(list_queue(sessions_[0], joined_ - served_ + 1)), "a list is wrong");
  }
  void run_dry() {
    while (holder_) hand_over();
    expect(served_ == joined_, "a waiter is never served");
    expect(znodes_under(simulation_, kLock) == 0, "a znode is left in the queue");
  }

 private:
  static Task<void> contend(Queue& queue, FairMutex& mutex, std::size_t number) {
    Result<HeldLock> held = co_await mutex.acquire();
    expect(held.has_value(), "an acquire fails");
    const bool released = !queue.simulation_.exists(queue.last_znode_);
    expect(!queue.holder_ && released, "two hold at once");
    expect(number == queue.served_, "a waiter is served out of turn");
    ++queue.served_;
    queue.last_znode_ = held->znode();
    queue.holder_.emplace(std::move(*held));
  }
  static Task<bool> list_queue(Session& session, std::size_t contenders) {
    const Result<Children> list = co_await session.get_children(kLock);
    if (!list || list->size() != contenders) co_return false;
    const std::string_view any = list->names().front();
    const Result<Position> position = position_of(any, kLockMark, *list);
    co_return position.has_value() && position->ahead < contenders;
  }

  Counter counter_;
  Traffic most_;
  fake::Simulation simulation_;
  Sessions sessions_;
  std::deque<FairMutex> mutexes_;
  std::optional<HeldLock> holder_;
  Path last_znode_ = kLock + std::string("/none");  // The last grant's.
  std::size_t joined_ = 0;
  std::size_t served_ = 0;
  std::size_t before_;
};

// Creates the same znodes by the same requests and lists them, without waiters: the heap then grows
// by the simulated server's share.
Task<bool> make_places(Sessions& sessions, std::size_t places) {
  const Data data;
  const Acl acl;
  const Context context;
  for (std::size_t i = 0; i < places; ++i) {
    const Result<Created> created =
        co_await take_place(sessions[i], kLock, kLockMark, data, acl, context);
    if (!created) co_return false;
  }
  const Result<Children> list = co_await sessions[0].get_children(kLock);
  co_return list.has_value() && list->size() == places;
}

std::size_t bytes_of_places() {
  fake::Simulation simulation;
  Sessions sessions(simulation);
  const std::size_t before = heap_bytes();
  expect(simulation.run(make_places(sessions, kWaiters + 1)), "a place cannot be taken");
  return heap_bytes() - before;
}

struct Waiting {
  std::size_t bytes;
  double handoff_us;
  double list_us;
  Traffic most;
};

Waiting wait_in_a_queue(std::size_t waiters, double seconds) {
  Queue queue(waiters);
  const std::size_t bytes = queue.bytes();
  const double handoff_us =
      microseconds_each(seconds, [&] { queue.hand_over(); }, [&] { queue.join(); });
  const double list_us = microseconds_each(seconds, [&] { queue.list(); }, [] {});
  queue.run_dry();
  return {bytes, handoff_us, list_us, queue.most()};
}

double each(std::size_t with, std::size_t without, std::size_t count) {
  expect(with > without, "memory that is in use is not counted");
  return static_cast<double>(with - without) / static_cast<double>(count);
}

// ---------------------------------------------------------------------------- many locks at once

constexpr std::size_t kLocks = 100'000;

Path lock_number(std::size_t number) { return "/locks/" + std::to_string(number); }

// Grants outlive the mutexes that acquired them.
Task<bool> acquire_all(Session& session, std::vector<HeldLock>& held) {
  for (std::size_t number = 0; number < kLocks; ++number) {
    FairMutex mutex(session, lock_number(number));
    Result<HeldLock> acquired = co_await mutex.acquire();
    if (!acquired) co_return false;
    held.push_back(std::move(*acquired));
  }
  co_return true;
}

Task<bool> release_all(std::vector<HeldLock>& held) {
  for (HeldLock& lock : held) {
    const ReleaseOutcome outcome = co_await lock.release();
    if (outcome != ReleaseOutcome::kReleased) co_return false;
  }
  co_return true;
}

Task<bool> make_places_of_all(Session& session) {
  const Data data;
  const Acl acl;
  const Context context;
  for (std::size_t number = 0; number < kLocks; ++number) {
    const Path lock = lock_number(number);
    const Result<Created> created =
        co_await take_place(session, lock, kLockMark, data, acl, context);
    if (!created) co_return false;
  }
  co_return true;
}

// Checks that each lock has `each_lock` znodes, one or none.
void expect_znodes(fake::Simulation& simulation, std::size_t each_lock, const char* otherwise) {
  for (std::size_t number = 0; number < kLocks; ++number) {
    expect(znodes_under(simulation, lock_number(number)) == each_lock, otherwise);
  }
}

struct Holding {
  std::size_t bytes;
  double us;
};

Holding hold_many() {
  constexpr double kMicrosecondsPerSecond = 1e6;
  fake::Simulation simulation;
  const auto session = simulation.open("A");
  std::vector<HeldLock> held;
  const std::size_t before = heap_bytes();
  const double start = processor_seconds();
  expect(simulation.run(acquire_all(*session, held)), "an acquire fails");
  const double all_held = processor_seconds();
  const std::size_t bytes = heap_bytes() - before;
  expect_znodes(simulation, 1, "a lock that is held has not exactly one znode");
  const double goes_on = processor_seconds();
  expect(simulation.run(release_all(held)), "a release fails");
  const double gone = (all_held - start) + (processor_seconds() - goes_on);
  expect_znodes(simulation, 0, "a znode is left");
  return {bytes, gone * kMicrosecondsPerSecond / kLocks};
}

std::size_t bytes_of_places_of_all() {
  fake::Simulation simulation;
  const auto session = simulation.open("A");
  const std::size_t before = heap_bytes();
  expect(simulation.run(make_places_of_all(*session)), "a place cannot be taken");
  return heap_bytes() - before;
}

}  // namespace

Figures scale(double seconds) {
  const auto wait = [&](std::size_t waiters) {
    return in_fresh_thread([=] { return wait_in_a_queue(waiters, seconds); });
  };
  const Waiting ten = wait(10);
  const Waiting hundred = wait(100);
  const Waiting thousand = wait(1'000);
  const Waiting most = wait(kWaiters);
  const std::size_t places = in_fresh_thread(&bytes_of_places);
  const Holding many = in_fresh_thread(&hold_many);
  const std::size_t places_of_all = in_fresh_thread(&bytes_of_places_of_all);
  return {{"waiter_bytes", each(most.bytes, places, kWaiters), "bytes"},
          {"handoff_10_waiters", ten.handoff_us, "us"},
          {"handoff_100_waiters", hundred.handoff_us, "us"},
          {"handoff_1000_waiters", thousand.handoff_us, "us"},
          {"handoff_10000_waiters", most.handoff_us, "us"},
          {"handoff_requests_10_waiters", static_cast<double>(ten.most.requests), "requests"},
          {"handoff_requests_10000_waiters", static_cast<double>(most.most.requests), "requests"},
          {"handoff_wakes_10000_waiters", static_cast<double>(most.most.lists), "wakes"},
          {"handoff_flatness", most.handoff_us / ten.handoff_us, "times"},
          {"list_10_waiters", ten.list_us, "us"},
          {"list_100_waiters", hundred.list_us, "us"},
          {"list_1000_waiters", thousand.list_us, "us"},
          {"list_10000_waiters", most.list_us, "us"},
          {"locks_100000", many.us, "us"},
          {"lock_bytes", each(many.bytes, places_of_all, kLocks), "bytes"}};
}

}  // namespace lockstep::program
