// Mistakes that do not compile, one at a time (-DMISTAKE=N). Behind each mark stand the words that
// the first error must have.
#include <utility>

#include "lockstep/cohort_mutex.h"
#include "lockstep/double_barrier.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/lab/contend_for.h"
#include "lockstep/on_client.h"
#include "lockstep/read_write_lock.h"

namespace lockstep {

#if MISTAKE == 1  // "co_return failure(error)"
Task<Result<int>> count() { co_return Error::kNoNode; }
#endif

#if MISTAKE == 2  // "co_await std::move(task)"
Task<void> lock(FairMutex& mutex) {
  auto task = mutex.acquire();
  static_cast<void>(co_await task);
}
#endif

#if MISTAKE == 3  // "acquire_read(), by take()"
Task<void> read(Client& client) {
  OnClient<ReadWriteLock> lock(client, "/lock");
  static_cast<void>(co_await lock.acquire());
}
#endif

class Unobserved : public FairMutex {
 public:
  Unobserved(Session& session, Path lock) : FairMutex(session, std::move(lock)) {}
};

class Renamed {
 public:
  Renamed(Session& session, Path lock, LockObserver* observer)
      : mutex_(session, std::move(lock), observer) {}
  Task<Result<HeldLock>> lock() { return mutex_.acquire(); }

 private:
  FairMutex mutex_;
};

#if MISTAKE == 4  // "Mutex(Session&, Path, LockObserver*)"
const auto contend = &lab::contend_for<Unobserved>;
#endif

#if MISTAKE == 5  // "acquire() or acquire(Context)"
const auto contend = &lab::contend_for<Renamed>;
#endif

#if MISTAKE == 6  // "share a CohortMutex by SharedOnClient"
Task<void> lock_as_one_of_many(Client& client) {
  OnClient<CohortMutex> mutex(client, "/lock");
  static_cast<void>(co_await mutex.acquire());
}
#endif

#if MISTAKE == 7  // "on a session of Client::session()"
Task<void> enter(Client& client) {
  Rejoining<DoubleBarrier> barrier(client, "/barrier", 2);
  const auto way = [](DoubleBarrier& recipe, Context context) {
    return recipe.enter(std::move(context));
  };
  static_cast<void>(co_await barrier.take(way, Context()));
}
#endif

}  // namespace lockstep
