// The completion of an abandoned session (made up): a client that gets no answer to its create in
// three seconds goes on with a new session. When the answer comes later, the client takes the place
// in it for one of its new session, and enters. The old session ends, and the place with it.
// Correct: a completion counts only for the session that sent the request.
#include <memory>
#include <optional>
#include <utility>

#include "lockstep/async_event.h"
#include "scenarios/broken_lock.h"
#include "scenarios/inside.h"

namespace lockstep::scenarios::zoo_57 {

namespace {

constexpr std::chrono::seconds kPatience(3);
constexpr std::chrono::seconds kLimit(60);  // Then it gives up, and no longer waits for itself.

class Claim {
 public:
  Claim(Contender& self, Path lock)
      : self_(self), lock_(std::move(lock)), answered_(self.client().executor()) {}

  // No grant is reported to the oracles: the resource judges.
  Task<void> hold_once() {
    co_await begin();
    const Context soon(self_.client().executor().now() + kPatience);
    const Result<void> in_time = co_await answered_.wait(soon);
    if (!in_time) {
      session_.reset();
      const std::shared_ptr<Session> late = self_.client().leave_session();
      co_await begin();
      static_cast<void>(co_await answered_.wait());
    }
    if (place_) co_await wait_and_work(*session_, *place_);
    session_.reset();
    self_.client().leave_session().reset();  // The session ends with everything it has.
  }

 private:
  Task<void> begin() {
    const Result<std::shared_ptr<Session>> session = co_await self_.client().session(Context());
    if (!session) co_return answered_.set();
    session_ = *session;
    asking_.spawn(ask(session_));
  }
  Task<void> ask(std::shared_ptr<Session> session) {
    const Result<Created> created =
        co_await sound_create(*session, lock_, std::string(kLockMark), Data(), Context());
    // The flaw: there may be another session by now.
    if (created && keeps_order(*created)) place_.emplace(*created);
    answered_.set();
  }
  Task<void> wait_and_work(Session& session, Created ours) {
    const Context limit(self_.client().executor().now() + kLimit);
    const Result<Zxid> evidence = co_await sound_wait(session, lock_, ours.path, nullptr, limit);
    if (!evidence) co_return;
    const Inside inside(self_, session, std::nullopt);
    const auto looked = co_await session.exists(lock_);
    if (looked) static_cast<void>(co_await session.exists(lock_));
  }

  Contender& self_;
  Path lock_;
  AsyncEvent answered_;
  std::shared_ptr<Session> session_;
  std::optional<Created> place_;
  TaskSet asking_;
};

Task<void> contend(Contender& self, Path lock, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round) {
    Claim claim(self, lock);
    co_await claim.hold_once();
  }
}

const Registered kRegistered{Scenario{"zoo-57-answer-to-an-old-session", "zoo", "S2",
                                      "Trusts a completion of a session that it has given up.",
                                      lab::ScenarioSize{2, 1}, &contenders<&contend>, "made up"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_57
