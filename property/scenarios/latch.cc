// A leader latch, whose candidates lead twice each, whatever happens in between.
#include <optional>
#include <stop_token>
#include <string_view>
#include <utility>

#include "acquires.h"
#include "blocking_rounds.h"
#include "lockstep/async_event.h"
#include "lockstep/blocking/leader_latch.h"
#include "lockstep/leader_latch.h"
#include "lockstep/task_set.h"
#include "recipes.h"
#include "rounds.h"

namespace lockstep::scenarios {

namespace {

// The acquires of a latch, which tells the leader of the end before it gives the znode back: the
// next candidate may lead as soon as that is gone.
class Candidacies final : public Acquires {
 public:
  Candidacies(Contender& self, Context patience)
      : Acquires(self, std::move(patience)), self_(self) {}

  void releasing(const GrantRecord& grant) override {
    if (has_leader) self_.oracles().violated("user:office", "a leader's znode is given back");
    Acquires::releasing(grant);
  }

  bool has_leader = false;

 private:
  Contender& self_;
};

// A leader that learns of its leadership only from its latch.
class Office final : public LeaderLatch::Listener {
 public:
  Office(Contender& self, Candidacies& candidacies)
      : begun(self.client().executor()), self_(self), candidacies_(candidacies) {}

  void leads(const ClientGrant& leadership) override {
    if (leads()) report("was told to lead, and leads already");
    candidacies_.has_leader = true;
    ++terms;
    inside_.emplace(self_, *leadership.session, std::nullopt);
    session = leadership.session;
    begun.set();
  }
  void leads_no_more(std::optional<Error> cause) override {
    if (!leads()) report("was told to lead no more, and does not lead");
    candidacies_.has_leader = false;
    inside_.reset();
    begun.reset();
    if (cause && self_.client().process().world().kinds_injected() == 0) {
      report("lost the leadership although nothing had happened");
    }
  }
  [[nodiscard]] bool leads() const { return candidacies_.has_leader; }

  AsyncEvent begun;
  std::shared_ptr<Session> session;
  std::uint32_t terms = 0;

 private:
  void report(std::string_view what) {
    self_.oracles().violated("user:office", "a candidate " + std::string(what));
  }

  Contender& self_;
  Candidacies& candidacies_;
  std::optional<Inside> inside_;
};

// Leads once more than there are rounds: it resigns, comes back, and retires at the end of the last
// term. A lost term does not count.
Task<void> govern(Office& office, LeaderLatch& latch, std::uint32_t rounds, std::stop_source stop) {
  for (std::uint32_t served = 0; served <= rounds;) {
    const Result<void> begun = co_await office.begun.wait();
    if (!begun) co_return;
    // Takes some time, in which the leadership may be lost.
    const std::uint32_t term = office.terms;
    const std::shared_ptr<Session> session = office.session;
    static_cast<void>(co_await session->sync("/"));
    if (!office.leads() || office.terms != term) continue;
    if (++served <= rounds) latch.resign();
  }
  stop.request_stop();
}

// take_part may end by its context, or at the end of the sequence numbers.
void check_end(Contender& self, const Result<void>& end, const Office& office,
               const Context& patience) {
  const bool impatient = patience.deadline().has_value();
  const fakezk::FaultKinds struck = self.client().process().world().kinds_injected();
  const Error error = end ? Error::kNothing : end.error();
  const bool expected =
      error == Error::kCancelled ||
      (impatient && (error == Error::kTimedOut || error == Error::kContactLost ||
                     error == Error::kNotConnected || error == Error::kOperationTimeout)) ||
      (error == Error::kNodeExists && (struck & bit(fakezk::FaultKind::kSequenceOverflow)) != 0);
  if (!expected) {
    self.oracles().violated("user:latch",
                            "a candidate takes part no more: " + std::string(name(error)));
  }
  if (office.leads()) self.oracles().violated("user:office", "a candidate left and leads");
}

Task<void> stay_candidate(Contender& self, Path path, std::uint32_t rounds) {
  const std::stop_source stop;
  const Context limit = self.patience();
  Context patience(stop.get_token());
  if (limit.deadline()) patience = Context(*limit.deadline(), stop.get_token());
  Candidacies& observer = Acquires::of<Candidacies>(self, patience);
  Office office(self, observer);
  LockOptions options{Data(std::string_view(self.client().name()))};
  LeaderLatch latch(self.client(), path, std::move(options), office, &observer);
  TaskSet governing;
  governing.spawn(govern(office, latch, rounds, stop));
  const Result<void> end = co_await latch.take_part(patience);
  check_end(self, end, office, patience);
}

// ------------------------------------------------------------------------------------- blocking

// Works until the term is over; returns false if it is over at the end.
bool work_in_office(Contender& self, const blocking::Leadership& term) {
  work_until(self, *self.client().current(), term.over);
  return !term.over.stop_requested();
}

// Governs in the same way on a thread.
void govern_blocking(Contender& self, blocking::LeaderLatch& latch, std::uint32_t rounds,
                     std::optional<TimePoint> deadline) {
  Zxid newest = 0;
  latch.start();
  for (std::uint32_t served = 0; served <= rounds;) {
    const std::optional<blocking::Leadership> term =
        deadline ? latch.wait_until(*deadline) : latch.wait();
    if (!term) break;
    if (term->fencing_token < newest) {
      self.oracles().violated("user:token", "a later term has an older token");
    }
    newest = term->fencing_token;
    if (!work_in_office(self, *term)) continue;
    if (++served <= rounds) latch.resign(*term);
  }
  latch.close();
  if (latch.leadership()) self.oracles().violated("user:office", "a candidate left and leads");
}

Task<void> stay_candidate_blocking(Contender& self, Path path, std::uint32_t rounds) {
  return self.on_fiber([&self, path = std::move(path), rounds] {
    Acquires& observer = Acquires::of(self, Context());
    LockOptions options{Data(std::string_view(self.client().name()))};
    blocking::LeaderLatch latch(self.client(), path, std::move(options), &observer);
    try {
      govern_blocking(self, latch, rounds, self.patience().deadline());
    } catch (const std::system_error&) {  // The end of the sequence numbers.
    }
  });
}

}  // namespace

lab::LockUnderTest blocking_leader_latch() {
  return contention(&stay_candidate_blocking, lab::LastContender::kImpatient);
}

lab::LockUnderTest leader_latch() {
  return contention(&stay_candidate, lab::LastContender::kImpatient);
}

}  // namespace lockstep::scenarios
