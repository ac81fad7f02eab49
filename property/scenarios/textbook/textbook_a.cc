// The fair lock over ZkClient that tutorials print: a znode for each thread, a listener on the
// znode in front, a latch. Each of its three flaws can be repaired separately.
#include <algorithm>
#include <optional>
#include <vector>

#include "lockstep/async_event.h"
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::textbook_a {

namespace {

struct Flaws {
  // The listener counts down a latch that the thread makes only after its last look at the
  // predecessor. An event in between finds no latch, and the thread never wakes. Correct: the latch
  // comes first, as the Watch does in lockstep::wait_in_queue.
  bool latch = false;
  // ZkClient opens a new session by itself. The thread's znode is not in the list then, and the
  // search for it returns a negative index. Correct: lockstep::position_of returns kNoNode.
  bool index = false;
  // unlock() deletes a remembered path, even after the session is over, and takes "not there" for
  // success. Correct: HeldLock::release returns kAlreadyLost.
  bool release = false;
};

// The latch that the listener and the thread share.
class Latch {
 public:
  explicit Latch(Executor& executor) : woken(executor) {}
  AsyncEvent woken;
  bool made = false;
};

// The listener: handleDataDeleted.
Task<void> count_down(Watch watch, std::shared_ptr<Latch> latch) {
  static_cast<void>(co_await watch.fired());
  if (latch->made) latch->woken.set();
}

Task<Result<void>> wait_for_deletion(Session& session, Path before, Flaws flaws) {
  const auto latch = std::make_shared<Latch>(session.executor());
  auto subscribed = co_await ok(retried(session, &Session::exists_watched, before, Context()));
  session.in_background(count_down(std::move(subscribed.watch), latch));
  if (!flaws.latch) latch->made = true;
  const Result<Stat> there = co_await retried(session, &Session::exists, before, Context());
  if (!there) co_return Result<void>();
  // This thread goes on a little later than the event thread.
  co_await ok(sleep_for(session.executor(), std::chrono::milliseconds(1)));
  latch->made = true;
  co_return co_await latch->woken.wait();
}

// Returns the place of `ours` in the sorted list, like Collections.binarySearch.
std::ptrdiff_t index_of(const std::vector<std::string_view>& sorted, std::string_view ours) {
  const auto found = std::ranges::find(sorted, ours);
  return found == sorted.end() ? -1 : found - sorted.begin();
}

// Alternates between tryLock() and waitForLock(). ZkClient repeats each request until it has an
// answer, in a new session if necessary.
Task<Result<Zxid>> lock_with(Contender& self, Path lock, Path ours, Flaws flaws) {
  const SessionId creator = (co_await ok(self.client().session(Context())))->id();
  for (;;) {
    const auto session = co_await ok(self.client().session(Context()));
    if (!flaws.index && session->id() != creator) co_return failure(Error::kNoNode);
    const auto queue = co_await session->get_children(lock);
    if (!queue && queue.error() == Error::kNoNode) co_return failure(queue.error());
    if (!queue) continue;
    std::vector<std::string_view> sorted(queue->begin(), queue->end());
    std::ranges::sort(sorted, {},
                      [](std::string_view name) { return *sequence_number(name, kLockMark); });
    const std::ptrdiff_t index = index_of(sorted, ours.name());
    if (index == 0) co_return queue->parent().pzxid;
    if (!flaws.index && index < 0) co_return failure(Error::kNoNode);
    // The flaw called `index`: `index - 1` is -2 for a znode that is not there.
    const std::string_view before = sorted.at(static_cast<std::size_t>(index - 1));
    self.oracles().waiting(session->id(), ours, static_cast<std::size_t>(index));
    static_cast<void>(co_await wait_for_deletion(*session, lock / before, flaws));
  }
}

Task<ReleaseOutcome> unlock(Contender& self, const GrantRecord& grant, Flaws flaws) {
  for (;;) {
    const auto session = co_await self.client().session(Context());
    if (!session) continue;
    const bool ours = (*session)->id() == grant.session;
    if (!ours && !flaws.release) co_return ReleaseOutcome::kAlreadyLost;
    const Result<void> removed = co_await (*session)->remove(grant.znode);
    if (removed || removed.error() == Error::kNoNode) co_return ReleaseOutcome::kReleased;
  }
}

template <Flaws kFlaws>
Task<void> hold(Contender& self, Session& session, Path lock) {
  const SessionId id = session.id();
  std::optional<Attempt> attempt;
  attempt.emplace(self, id);
  const auto ours = co_await sound_create(session, lock, std::string(kLockMark), Data(), Context());
  if (!ours) co_return;
  const auto evidence = co_await lock_with(self, lock, ours->path, kFlaws);
  attempt.reset();
  if (!evidence) co_return;
  const GrantRecord grant(id, lock, ours->path, ours->stat.czxid, *evidence);
  self.oracles().granted(grant);
  const ReleaseOutcome outcome = co_await unlock(self, grant, kFlaws);
  self.oracles().released(grant, outcome);
}

const Registered kRegistered{
    Scenario{"textbook-a", "textbook", "L1",
             "The fair lock over ZkClient: its main flaw, as textbook-a-latch.",
             lab::ScenarioSize{2, 1}, &in_each_round<&hold<Flaws{.latch = true}>>, "tutorial A"},
    Scenario{"textbook-a-latch", "textbook", "L1",
             "Makes its latch after the last look: an event in between has nothing to count down.",
             lab::ScenarioSize{2, 1}, &in_each_round<&hold<Flaws{.latch = true}>>, "tutorial A"},
    Scenario{"textbook-a-index", "textbook", "crash",
             "Does not find its own znode, and goes on with a negative index.",
             lab::ScenarioSize{2, 1}, &in_each_round<&hold<Flaws{.index = true}>>, "tutorial A"},
    Scenario{"textbook-a-release", "textbook", "R2",
             "Deletes a remembered path, and takes a lost lock for a released one.",
             lab::ScenarioSize{2, 1}, &in_each_round<&hold<Flaws{.release = true}>>, "tutorial A"}};

}  // namespace

}  // namespace lockstep::scenarios::textbook_a
