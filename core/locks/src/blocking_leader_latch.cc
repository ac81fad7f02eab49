#include <exception>
#include <system_error>

#include "lockstep/async_event.h"
#include "lockstep/blocking/leader_latch.h"
#include "lockstep/ok.h"
#include "lockstep/task_set.h"

namespace lockstep::blocking {

namespace {

[[noreturn]] void fail_not_permitted(const char* why) {
  throw std::system_error(std::make_error_code(std::errc::operation_not_permitted), why);
}

}  // namespace

// The part of a LeaderLatch that belongs to the executor.
class LeaderLatch::Candidate final : private lockstep::LeaderLatch::Listener {
 public:
  Candidate(Client& client, Path election, LockOptions options, LockObserver* observer)
      : news_(client.executor()),
        ended_(client.executor()),
        latch_(client, std::move(election), std::move(options), *this, observer) {}

  void start() {
    if (started_) fail_not_permitted("lockstep: the latch has been started or closed already");
    started_ = true;
    tasks_.spawn(take_part(*this));
  }
  [[nodiscard]] std::optional<Leadership> leadership() const {
    if (!term_) return std::nullopt;
    return Leadership(term_->fencing_token, term_->over.get_token());
  }
  void resign(const std::stop_token& term) {
    if (term_ && term_->over.get_token() == term) latch_.resign();
  }
  // Waits until the candidate leads. A term may end before its waiter resumes, hence the loop.
  static Task<Result<Leadership>> wait(Candidate& self, Context context) {
    if (!self.started_) fail_not_permitted("lockstep: the latch has not been started");
    for (;;) {
      if (const std::optional<Leadership> term = self.leadership()) co_return *term;
      if (self.thrown_) std::rethrow_exception(self.thrown_);
      if (self.end_) co_return failure(*self.end_);
      co_await ok(self.news_.wait(context));
    }
  }
  // Resolves once the candidate no longer takes part.
  static Task<ReleaseOutcome> close(Candidate& self) {
    if (!std::exchange(self.started_, true)) self.end(Error::kCancelled);
    self.stop_.request_stop();
    static_cast<void>(co_await self.ended_.wait());
    co_return ReleaseOutcome::kReleased;
  }

 private:
  class Term {
   public:
    explicit Term(Zxid token) : fencing_token(token) {}
    Zxid fencing_token;
    std::stop_source over;
  };

  void leads(const ClientGrant& leadership) override {
    term_.emplace(leadership.held.fencing_token());
    news_.set();
  }
  void leads_no_more(std::optional<Error> /*cause*/) override {
    const std::optional<Term> ended = std::exchange(term_, std::nullopt);
    news_.reset();
    ended->over.request_stop();
  }
  // wait() throws an exception that ends the candidacy, such as std::bad_alloc.
  static Task<void> take_part(Candidate& self) {
    try {
      const Result<void> end = co_await self.latch_.take_part(Context(self.stop_.get_token()));
      self.end(end.error());
    } catch (...) {
      self.thrown_ = std::current_exception();
      self.end(Error::kCancelled);
    }
  }
  void end(Error error) {
    end_ = error;
    news_.set();
    ended_.set();
  }

  bool started_ = false;
  std::optional<Error> end_;   // Why it no longer takes part.
  std::exception_ptr thrown_;  // Ended it.
  std::optional<Term> term_;
  AsyncEvent news_;  // Set when a term begins or the candidate stops taking part.
  AsyncEvent ended_;
  std::stop_source stop_;
  lockstep::LeaderLatch latch_;
  TaskSet tasks_;  // Last: destroyed first.
};

LeaderLatch::LeaderLatch(Client& client, const Path& election, LockOptions options,
                         LockObserver* observer)
    : LockCalls(election, Bounds()),
      executor_(client.executor()),
      candidate_(std::make_unique<Candidate>(client, election, std::move(options), observer)) {}

LeaderLatch::~LeaderLatch() {
  if (executor_.blocker().is_in_child()) {
    static_cast<void>(candidate_.release());  // Only the parent's copy takes part.
    return;
  }
  static_cast<void>(
      call(executor_, "~LeaderLatch()", [&](LockOwner) { return close_and_destroy(candidate_); }));
}

// Runs on the executor, which owns the candidate. It has the type of a release, because a dying
// process does not wait for a release.
Task<ReleaseOutcome> LeaderLatch::close_and_destroy(std::unique_ptr<Candidate>& candidate) {
  const ReleaseOutcome outcome = co_await Candidate::close(*candidate);
  candidate.reset();
  co_return outcome;
}

void LeaderLatch::start() {
  const auto start = [](Candidate& candidate) -> Task<void> {
    candidate.start();
    co_return;
  };
  call(executor_, "start()", [&](LockOwner) { return start(*candidate_); });
}

void LeaderLatch::close() {
  static_cast<void>(
      call(executor_, "close()", [&](LockOwner) { return Candidate::close(*candidate_); }));
}

Leadership LeaderLatch::wait(std::stop_token stop) {
  constexpr const char* kWhat = "wait()";
  const Context context(std::move(stop));
  const Result<Leadership> term =
      call(executor_, kWhat, [&](LockOwner) { return Candidate::wait(*candidate_, context); });
  if (!term) fail(term.error(), kWhat);
  return *term;
}

std::optional<Leadership> LeaderLatch::wait_within(const Context& context, const char* what) {
  const Result<Leadership> term =
      call(executor_, what, [&](LockOwner) { return Candidate::wait(*candidate_, context); });
  if (term) return *term;
  if (term.error() != Error::kTimedOut) fail(term.error(), what);
  return std::nullopt;
}

std::optional<Leadership> LeaderLatch::leadership() {
  const auto ask = [](Candidate& candidate) -> Task<std::optional<Leadership>> {
    co_return candidate.leadership();
  };
  return call(executor_, "leadership()", [&](LockOwner) { return ask(*candidate_); });
}

void LeaderLatch::resign(const Leadership& term) {
  const auto resign = [](Candidate& candidate, std::stop_token of) -> Task<void> {
    candidate.resign(of);
    co_return;
  };
  call(executor_, "resign()", [&](LockOwner) { return resign(*candidate_, term.over); });
}

}  // namespace lockstep::blocking
