#pragma once

#include "parts.h"

namespace lockstep::scenarios::textbook_c {

// Ten executors by ten tasks, with a lock that polls.

// Lists all children once a second, whether anything has changed or not. Correct:
// lockstep::wait_for_turn, which sleeps until the znode in front has gone.
Task<Result<Zxid>> poll(Session& session, Path lock, Path ours, LockObserver* observer,
                        Context context);

// The reply to the create is lost: the executor reports an error and goes on to the next task, and
// the znode blocks everybody until the session ends. Correct: lockstep::protected_create.
Task<Result<Created>> create(Session& session, Path parent, std::string mark, Data data,
                             Context context);

// Creates the folder of the tasks, and swallows whatever goes wrong, not only "is there already".
// The first create under it fails then. Correct: lockstep::ensure_parent.
Task<void> work_in_folder(Contender& self, Path lock, std::uint32_t rounds);

// Holds the lock for as long as a task takes: half a minute.
template <class Mutex>
Task<void> work(Contender& self, Path lock, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Result<std::shared_ptr<Session>> session = co_await self.client().session(Context());
    if (!session) continue;
    Mutex mutex(**session, lock, &self.oracles());
    const Attempt attempt(self, (*session)->id());
    Result<HeldLock> held = co_await mutex.acquire();
    if (!held) continue;
    static_cast<void>(co_await sleep_for(self.client().executor(), std::chrono::seconds(30)));
    co_await held->release();
  }
}

}  // namespace lockstep::scenarios::textbook_c
