// Several grants at once, in blocking code.
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

#include "blocking_rounds.h"
#include "lockstep/blocking/multi_lock.h"
#include "lockstep/blocking/semaphore.h"
#include "recipes.h"
#include "wanted_locks.h"

namespace lockstep::scenarios {

namespace {

void lease_several(Contender& self, SessionId session, const Path& path, std::uint32_t role) {
  const std::int32_t wanted = role % 3 == 2 ? 1 : 2;
  blocking::Semaphore semaphore(self.client(), path, 2, &self.oracles());
  bool leased = true;
  patiently(self, session, [&](std::optional<TimePoint> deadline) {
    if (!deadline) return semaphore.acquire(wanted);
    leased = semaphore.try_acquire_until(wanted, *deadline);
  });
  if (leased) semaphore.release(wanted);
}

void hold_any(Contender& self, SessionId session, const Path& path, std::uint32_t role) {
  blocking::MultiLock all(self.client(), wanted_by(path, role), &self.oracles());
  std::unique_lock held(all, std::defer_lock);
  lock_patiently(self, session, held);
  if (!held) return;
  constexpr std::size_t kGrants[] = {4, 2, 3};
  const std::vector<std::stop_token> lost = all.lost_tokens();
  if (lost.size() != kGrants[role % 3]) {
    self.oracles().violated("user:all", "an acquire of several has some of them");
  }
  // These contenders hold the mutex, which comes first.
  if (role % 3 != 1) work_until(self, *self.client().current(), lost.front());
}

}  // namespace

lab::LockUnderTest blocking_semaphore_several() {
  return contention(&block_in_rounds<&lease_several>, lab::LastContender::kImpatient,
                    judge::semaphore_rules(2));
}

lab::LockUnderTest blocking_multi_lock() {
  judge::LockRules rules = judge::read_write_rules();
  rules.marks.push_back(Mark{kLockMark, Share::kExclusive});
  rules.lease = kLeaseMark;
  rules.capacity = 2;
  return contention(&block_in_rounds<&hold_any>, lab::LastContender::kImpatient, std::move(rules));
}

}  // namespace lockstep::scenarios
