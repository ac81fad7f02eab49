#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "acquires.h"
#include "blocking_rounds.h"
#include "inside.h"
#include "lockstep/blocking/cohort_mutex.h"
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

// One of the contenders that share a mutex, which outlives this task.
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

// Starts one contender more than a batch has grants.
Task<void> share_a_place(Contender& self, Session& session, Path lock) {
  CohortMutex mutex(session, std::move(lock), bounds(), &self.oracles());
  Grants grants(self);
  std::vector<Task<void>> contenders;
  contenders.push_back(hold_once(self, session, mutex, grants, Context()));
  contenders.push_back(hold_once(self, session, mutex, grants, self.patience()));
  contenders.push_back(hold_once(self, session, mutex, grants, Context()));
  co_await when_all(std::move(contenders));
}

Task<void> contend_in_tasks(Contender& self, Path lock, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
    if (session) co_await share_a_place(self, **session, lock);
  }
}

// ------------------------------------------------------------------------------------- blocking

// One of the threads that share a mutex, which outlives this call.
void block_once(Contender& self, blocking::CohortMutex& mutex, Grants& grants,
                const Context& patience) {
  try {
    std::unique_lock held(mutex, std::defer_lock);
    if (patience.deadline()) {
      static_cast<void>(held.try_lock_until(*patience.deadline()));
    } else {
      held.lock();
    }
    if (!held) return;
    const std::stop_token lost = mutex.lost_token();
    const CohortToken token = mutex.fencing_token();
    // After a loss, the next batch may have begun.
    if (lost.stop_requested()) return;
    grants.add(token);
    work_until(self, *self.client().current(), lost);
  } catch (const std::system_error&) {  // This thread has no turn.
  }
}

// The last of the threads destroys the mutex, even if their process dies.
Task<void> block(Contender& self, std::shared_ptr<blocking::CohortMutex> mutex, Grants& grants,
                 Context patience) {
  return self.on_fiber([&self, mutex, &grants, patience = std::move(patience)]() mutable {
    const std::shared_ptr<blocking::CohortMutex> shared = std::move(mutex);
    block_once(self, *shared, grants, patience);
  });
}

// Starts as many threads, on a mutex that outlives sessions.
Task<void> share_blocking(Contender& self, Path lock) {
  Acquires& observer = Acquires::of(self, Context());
  Grants grants(self);
  auto mutex =
      std::make_shared<blocking::CohortMutex>(self.client(), std::move(lock), bounds(), &observer);
  std::vector<Task<void>> contenders;
  contenders.push_back(block(self, mutex, grants, Context()));
  contenders.push_back(block(self, mutex, grants, self.patience()));
  contenders.push_back(block(self, std::move(mutex), grants, Context()));
  co_await when_all(std::move(contenders));
}

// Every other client blocks.
Task<void> contend_in_both(Contender& self, Path lock, std::uint32_t rounds) {
  if (index_of(self) % 2 == 1) co_return co_await contend_in_tasks(self, std::move(lock), rounds);
  for (std::uint32_t round = 0; round < rounds; ++round) co_await share_blocking(self, lock);
}

}  // namespace

lab::LockUnderTest blocking_cohort_mutex() {
  return contention(&contend_in_both, LastContender::kImpatient);
}

lab::LockUnderTest cohort_mutex() {
  return contention(&contend_in_tasks, LastContender::kImpatient);
}

}  // namespace lockstep::scenarios
