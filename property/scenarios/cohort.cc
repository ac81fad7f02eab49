#include <string>
#include <utility>
#include <vector>

#include "inside.h"
#include "lockstep/cohort_mutex.h"
#include "lockstep/when_all.h"
#include "recipes.h"
#include "registry.h"

namespace lockstep::scenarios {

namespace {

using lab::Contender;
using lab::LastContender;

constexpr std::uint32_t kGrantsInARow = 2;

CohortBounds bounds() {
  CohortBounds bounds;
  bounds.grants = kGrantsInARow;
  return bounds;
}

// The grants of one CohortMutex, in their order.
class Grants {
 public:
  explicit Grants(Contender& self) : self_(self) {}

  void add(CohortToken token) {
    if (token <= newest_) {
      self_.oracles().violated("user:token", "a later grant has no newer token");
    }
    if (token.position > kGrantsInARow) {
      self_.oracles().violated("user:bound", "a batch has more grants than its bound");
    }
    newest_ = token;
  }

 private:
  Contender& self_;
  CohortToken newest_{0, 0};
};

// One of the contenders that share a mutex, which outlives it.
Task<void> hold_once(Contender& self, Session& session, CohortMutex& mutex, Grants& grants,
                     Context patience) {
  Result<CohortMutex::Hold> hold = co_await mutex.acquire(std::move(patience));
  if (!hold) co_return;
  grants.add(hold->fencing_token());
  {
    Inside inside(self, session, hold->held().cause());
    inside.leave_at(hold->held().suspect_token());
    static_cast<void>(co_await session.get_data(hold->held().znode()));
  }
  static_cast<void>(co_await hold->release());
}

// One contender more than a batch has grants.
Task<void> share_a_place(Contender& self, Session& session, Path lock) {
  CohortMutex mutex(session, std::move(lock), bounds(), &self.oracles());
  Grants grants(self);
  std::vector<Task<void>> contenders;
  contenders.push_back(hold_once(self, session, mutex, grants, Context()));
  contenders.push_back(hold_once(self, session, mutex, grants, self.patience()));
  contenders.push_back(hold_once(self, session, mutex, grants, Context()));
  co_await when_all(std::move(contenders));
}

Task<void> contend(Contender& self, Path lock, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
    if (session) co_await share_a_place(self, **session, lock);
  }
}

}  // namespace

lab::LockUnderTest cohort_mutex() { return contention(&contend, LastContender::kImpatient); }

}  // namespace lockstep::scenarios
