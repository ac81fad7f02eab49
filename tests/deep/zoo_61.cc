// Walks down its list (made up): when the znode that it watches is deleted, this waiter goes on to
// the next one in its old list, which is right for a mutex: no lower number can come any more. If
// the next one is gone too, it assumes the end of the queue, as if znodes were deleted in their
// order. But clients may also give up, or lose their sessions, while they wait: the first one of
// the queue still holds. Correct: every znode in front must be gone.
#include <algorithm>
#include <string>
#include <vector>

#include "lockstep/retried.h"
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_61 {

namespace {

// The contenders in front of us, the nearest first.
std::vector<std::string> ahead_of(const Path& ours, const Children& queue) {
  const std::int32_t own = *sequence_number(ours.name(), kLockMark);
  std::vector<std::string> ahead;
  for (const std::string_view name : queue) {
    const auto number = sequence_number(name, kLockMark);
    if (number && precedes(*number, own)) ahead.emplace_back(name);
  }
  std::ranges::sort(ahead, [](const std::string& a, const std::string& b) {
    return precedes(*sequence_number(b, kLockMark), *sequence_number(a, kLockMark));
  });
  return ahead;
}

// Waits until that znode is deleted; returns whether it existed at first.
Task<Result<bool>> outlived(Session& session, Path znode, Context context) {
  bool was_there = false;
  for (;;) {
    const auto read = co_await retried(session, &Session::get_data_watched, znode, context);
    if (!read && read.error() == Error::kNoNode) co_return was_there;
    if (!read) co_return failure(read.error());
    was_there = true;
    const WatchEvent event = co_await ok(read->watch.fired(context));
    if (event.type() == EventType::kDeleted) co_return true;
  }
}

Task<Result<Zxid>> wait_for_turn(Session& session, Path lock, Path ours, LockObserver* observer,
                                 Context context) {
  const Children queue = co_await ok(retried(session, &Session::get_children, lock, context));
  const Position position = co_await ok(position_of(ours.name(), kLockMark, queue));
  if (position.ahead == 0) co_return queue.parent().pzxid;
  const std::vector<std::string> ahead = ahead_of(ours, queue);
  for (std::size_t i = 0; i < ahead.size(); ++i) {
    if (observer) observer->waiting(session.id(), ours, ahead.size() - i);
    const bool was_there = co_await ok(outlived(session, lock / ahead[i], context));
    // The flaw: this znode may have left before those in front of it.
    if (i > 0 && !was_there) break;
  }
  const Stat now = co_await ok(retried(session, &Session::exists, lock, context));
  const DataAndStat own = co_await ok(retried(session, &Session::get_data, ours, context));
  if (own.stat.ephemeral_owner != session.id()) co_return failure(Error::kNoNode);
  co_return now.pzxid;
}

const Registered kRegistered{
    Scenario{"zoo-61-walks-down-its-list", "zoo", "S1",
             "Takes a znode that is gone for the end of the queue.", lab::ScenarioSize{4, 1},
             &lock_scenario<WithWait<&wait_for_turn>>, "made up", false, 2, 100'000}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_61
