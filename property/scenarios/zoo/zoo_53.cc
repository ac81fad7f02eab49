// A leader that asks once (as programs use Curator's LeaderLatch.await): the thread waits until it
// leads, and governs until its work is done. It does not check its term in between: its session may
// end, and the next candidate lead beside it. Correct: the work ends with the term,
// blocking::Leadership::over.
#include <memory>
#include <system_error>
#include <utility>

#include "lockstep/blocking/leader_latch.h"
#include "lockstep/lab/blocking_scenario.h"
#include "scenarios/broken_lock.h"
#include "scenarios/inside.h"

namespace lockstep::scenarios::zoo_53 {

namespace {

void govern(Contender& self, const blocking::Leadership& term) {
  const std::shared_ptr<Session> session = self.client().current();
  Inside inside(self, *session, std::nullopt);
  // The flaw: the term may be over, now or soon.
  static_cast<void>(term.over);
  // The work: one request, then another one, in the next session if this one has ended.
  constexpr auto ask = [](Session& of) -> Task<Result<void>> { co_return co_await of.sync("/"); };
  static_cast<void>(blocking::run(session->executor(), [&] { return ask(*session); }));
  static_cast<void>(lab::blocking_session_id(self.client()));
}

void lead(Contender& self, const Path& election) {
  blocking::LeaderLatch latch(self.client(), election, &self.oracles());
  latch.start();
  const blocking::Leadership term = latch.wait();
  govern(self, term);
}

Task<void> contend(Contender& self, Path lock, std::uint32_t rounds) {
  return self.on_fiber([&self, lock = std::move(lock), rounds] {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      try {
        lead(self, lock);
      } catch (const std::system_error&) {  // The next round is a new attempt.
      }
    }
  });
}

const Registered kRegistered{
    Scenario{"zoo-53-leader-that-asks-once", "zoo", "S2",
             "Waits until it leads, and governs until its work is done, even after its term.",
             lab::ScenarioSize{2, 1}, &contenders<&contend>, "made up"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_53
