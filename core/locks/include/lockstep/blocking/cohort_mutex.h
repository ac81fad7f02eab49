#pragma once

#include <utility>

#include "lockstep/blocking/mutex.h"
#include "lockstep/cohort_mutex.h"
#include "lockstep/shared_on_client.h"

namespace lockstep::blocking {

// A CohortMutex as std::timed_mutex: all callers of this object share one place in the lock's
// queue, and unlock() hands the grant to the next of them without a request to ZooKeeper. So a
// process has one object for each lock, and its threads share that. fencing_token() is a
// CohortToken, and state(), check() and the tokens are those of the grant that the batch shares.
// Everything else: see Mutex and lockstep::CohortMutex.
class CohortMutex : public Mutex<SharedOnClient<lockstep::CohortMutex>> {
 public:
  explicit CohortMutex(Client& client, const Path& lock, CohortBounds cohort = {},
                       LockObserver* observer = nullptr)
      : CohortMutex(client, lock, LockOptions(), cohort, observer) {}
  CohortMutex(Client& client, const Path& lock, LockOptions options, CohortBounds cohort = {},
              LockObserver* observer = nullptr)
      : CohortMutex(client, lock, Bounds(), std::move(options), cohort, observer) {}
  CohortMutex(Client& client, const Path& lock, Bounds bounds, LockOptions options,
              CohortBounds cohort = {}, LockObserver* observer = nullptr)
      : Mutex(client, lock, bounds, std::move(options), cohort, observer) {}
};

}  // namespace lockstep::blocking
