// The cost of the recipe itself, the lower bound of every search's cost.
#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "bench.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/fakezk/random_stream.h"
#include "lockstep/sequence.h"
#include "processor_time.h"

namespace lockstep::program {

namespace {

constexpr std::size_t kContenders = 3;
const char* const kFloorLock = "/lock";

// A queue of work without timers or a clock.
class Line final : public Executor {
 public:
  [[nodiscard]] TimePoint now() const override { return TimePoint(); }
  void post(Runnable& work) override {
    expect(posted_ - ran_ < kLength, "more work is queued than three contenders can have");
    line_[posted_++ % kLength] = &work;
  }
  void withdraw(Runnable& work) noexcept override {
    std::ranges::replace(line_, &work, static_cast<Runnable*>(nullptr));
  }
  void start_timer(Timer&, TimePoint) override { throw std::logic_error("no timer runs here"); }
  void stop_timer(Timer&) noexcept override {}
  void escaped(std::exception_ptr exception) noexcept override { escaped_ = std::move(exception); }
  [[nodiscard]] Blocker& blocker() noexcept override { std::terminate(); }

  void run() {
    while (ran_ != posted_) {
      if (Runnable* const work = std::exchange(line_[ran_++ % kLength], nullptr)) work->run();
    }
    if (escaped_) std::rethrow_exception(std::exchange(escaped_, nullptr));
  }

 private:
  static constexpr std::size_t kLength = 16;

  std::array<Runnable*, kLength> line_{};
  std::size_t posted_ = 0;
  std::size_t ran_ = 0;
  std::exception_ptr escaped_;
};

// The znodes of one lock, with their watches.
class Znodes {
 public:
  void clear() {
    for (Znode& znode : znodes_) {
      znode.watches = {};
      znode.there = false;
    }
    made_ = 0;
  }
  // No other znode gets this path until clear().
  [[nodiscard]] const Path& create(const Path& prefix) {
    static constexpr std::array<std::string_view, kContenders> kNumbers = {
        "0000000000", "0000000001", "0000000002"};
    Znode& znode = znodes_.at(made_);
    znode.path = Path(Text({prefix.view(), kNumbers.at(made_)}));
    znode.there = true;
    ++made_;
    return znode.path;
  }
  [[nodiscard]] Children list() const {
    const auto storage = internal::Ref<Children::Storage>::make();
    for (const Znode& znode : znodes_) {
      if (znode.there) storage->names.push_back(znode.path.name());
    }
    storage->parent.pzxid = static_cast<Zxid>(made_);
    return Children(storage);
  }
  // Returns false if the znode does not exist.
  bool watch(const Path& path, internal::Ref<internal::WatchState> watch) {
    Znode* const znode = find(path);
    if (!znode) return false;
    (znode->watches[0] ? znode->watches[1] : znode->watches[0]) = std::move(watch);
    return true;
  }
  // Watches of the znode's own contender and of the next one: null without one.
  using Watches = std::array<internal::Ref<internal::WatchState>, 2>;
  // Returns the watches to fire.
  Watches remove(const Path& path) {
    Znode* const znode = find(path);
    expect(znode, "a contender deletes a missing znode");
    znode->there = false;
    return std::exchange(znode->watches, {});
  }

 private:
  struct Znode {
    Path path = Path(Text());
    bool there = false;
    Watches watches;
  };

  Znode* find(const Path& path) {
    for (Znode& znode : znodes_) {
      if (znode.there && znode.path == path) return &znode;
    }
    return nullptr;
  }

  std::array<Znode, kContenders> znodes_;
  std::size_t made_ = 0;
};

// Answers the requests of a fair mutex one after another, with as little code as possible: without
// rules, messages, faults or a schedule.
class Answering final : public Session {
 public:
  Answering(Executor& executor, Random& random, Znodes& znodes)
      : Session(executor, random, Path()), znodes_(znodes), answer_(*this) {
    change_state(SessionState::kConnected);
  }
  ~Answering() override { end_background(); }
  [[nodiscard]] SessionId id() const override { return 1; }
  [[nodiscard]] Duration timeout() const override { return Duration::max(); }
  [[nodiscard]] TimePoint last_contact() const override { return TimePoint(); }

 private:
  class Answer final : public Runnable {
   public:
    explicit Answer(Answering& session) : session_(session) {}
    void run() override { session_.answer(); }

   private:
    Answering& session_;
  };

  void submit(Request&& request, internal::Completion& completion) override {
    expect(sent_ - answered_ < kInFlight, "a contender has more than two requests in flight");
    Asked& asked = asked_[sent_++ % kInFlight];
    asked.request.emplace(std::move(request));
    asked.completion = &completion;
    executor().post(answer_);
  }
  void abandon(internal::Completion& completion) noexcept override {
    for (Asked& asked : asked_) {
      if (asked.completion == &completion) asked.completion = nullptr;
    }
  }

  void answer() {
    Asked& asked = asked_[answered_++ % kInFlight];
    Request request = std::move(*asked.request);
    internal::Completion* const completion = std::exchange(asked.completion, nullptr);
    Reply reply;
    switch (request.op) {
      case OpCode::kCreate: reply.path = znodes_.create(request.path); break;
      case OpCode::kGetChildren: reply.children = znodes_.list(); break;
      case OpCode::kGetData:
        if (!znodes_.watch(request.path, std::move(request.watch))) reply = Reply(Error::kNoNode);
        break;
      case OpCode::kRemove:
        for (const auto& watch : znodes_.remove(request.path)) {
          if (watch) watch->resolve(WatchEvent(EventType::kDeleted, request.path));
        }
        break;
      default: throw std::logic_error("a fair mutex sends an unexpected request");
    }
    if (completion) completion->complete(reply);
  }

  struct Asked {
    std::optional<Request> request;
    internal::Completion* completion = nullptr;
  };
  static constexpr std::size_t kInFlight = 2;

  Znodes& znodes_;
  Answer answer_;
  std::array<Asked, kInFlight> asked_;
  std::size_t sent_ = 0;
  std::size_t answered_ = 0;
};

Task<void> contend(Session& session, std::size_t& served) {
  FairMutex mutex(session, kFloorLock);
  Result<HeldLock> held = co_await mutex.acquire();
  expect(held.has_value(), "an acquire fails");
  const ReleaseOutcome outcome = co_await held->release();
  expect(outcome == ReleaseOutcome::kReleased, "a release fails");
  ++served;
}

}  // namespace

double recipe_alone(double seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr int kAtATime = 1000;
  Line line;
  Znodes znodes;
  fakezk::RandomStream random(1);
  std::deque<Answering> sessions;
  for (std::size_t i = 0; i < kContenders; ++i) sessions.emplace_back(line, random, znodes);
  TaskSet tasks;
  double executions = 0;
  const double start = processor_seconds();
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  do {
    for (int i = 0; i < kAtATime; ++i) {
      std::size_t served = 0;
      for (Session& session : sessions) tasks.spawn(contend(session, served));
      line.run();
      expect(served == kContenders && tasks.empty(), "a contender is not served");
      znodes.clear();
    }
    executions += kAtATime;
  } while (Clock::now() < end);
  return executions / (processor_seconds() - start);
}

}  // namespace lockstep::program
