#pragma once

#include <stop_token>
#include <utility>
#include <vector>

#include "lockstep/blocking/exclusive_calls.h"
#include "lockstep/blocking/owned.h"
#include "lockstep/multi_lock.h"
#include "lockstep/on_client.h"

namespace lockstep {

namespace internal {

// A MultiLock as OnClient creates recipes. Its locks have paths of their own: `named` is for
// messages.
class NamedMultiLock : public MultiLock {
 public:
  NamedMultiLock(Session& session, const Path& /*named*/, LockSet locks, LockObserver* observer)
      : MultiLock(session, std::move(locks), observer) {}
};

}  // namespace internal

namespace blocking {

// A MultiLock as one lock of the standard library, for std::unique_lock and std::lock_guard: all
// of its locks or none. Errors, callers, deadlines: see Owned. There is no try_lock(), because the
// recipe waits for each of its locks. unlock() and release() release all of them, the last one
// first, within Bounds::release_patience in all.
//
//   blocking::MultiLock both(client, LockSet().write("/accounts/7").read("/rates"));
//   const std::unique_lock lock(both, 30s);
class MultiLock
    : public ExclusiveCalls<Owned<OnClient<lockstep::internal::NamedMultiLock>, ClientGrants>,
                            kAcquire> {
 public:
  MultiLock(Client& client, const LockSet& locks, LockObserver* observer = nullptr)
      : MultiLock(client, Bounds(), locks, observer) {}
  // Fair mutexes.
  MultiLock(Client& client, std::vector<Path> locks, LockObserver* observer = nullptr);
  // With bounds other than the default.
  MultiLock(Client& client, Bounds bounds, const LockSet& locks, LockObserver* observer = nullptr);

  // The state of the caller's grants: see HeldLocks and HeldLock. One entry for each grant, in the
  // order of the paths. The loss of one leaves the others held.
  [[nodiscard]] LockState state();
  [[nodiscard]] std::vector<Zxid> fencing_tokens();
  [[nodiscard]] std::vector<Request> checks();
  [[nodiscard]] std::vector<std::stop_token> lost_tokens();
  [[nodiscard]] std::vector<std::stop_token> suspect_tokens();
};

}  // namespace blocking
}  // namespace lockstep
