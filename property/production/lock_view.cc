#include "lock_view.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "ensemble.h"
#include "lockstep/retried.h"
#include "lockstep/unfair_mutex.h"

namespace lockstep::program {

namespace {

bool contains(const Children& children, std::string_view name) {
  return std::ranges::find(children.names(), name) != children.names().end();
}

void sort_into(LockView& view, std::vector<QueueEntry>&& queue) {
  for (QueueEntry& entry : queue) {
    (entry.holds ? view.holders : view.waiters).push_back(std::move(entry));
  }
}

// Kazoo names a lease with a UUID without hyphens.
bool is_kazoo_lease(std::string_view name) {
  constexpr std::size_t kDigits = 32;
  return name.size() == kDigits && name.find_first_not_of("0123456789abcdef") == name.npos;
}

// The data and Stat of a lease, or its Stat alone if its ACL hides the data. A lease that has ended
// meanwhile is nullopt.
Task<Result<std::optional<QueueEntry>>> read_kazoo_lease(Session& session, Path znode,
                                                         Context context) {
  std::optional<QueueEntry> lease(std::in_place, znode, Contender{0, Share::kShared}, true);
  const Result<DataAndStat> read = co_await retried(session, &Session::get_data, znode, context);
  if (read) {
    lease->data = read->data;
    lease->stat = read->stat;
    co_return std::move(lease);
  }
  if (read.error() == Error::kNoNode) co_return std::nullopt;
  if (read.error() != Error::kNoAuth) co_return failure(read.error());
  const Result<Stat> stat = co_await retried(session, &Session::exists, znode, context);
  if (stat) lease->stat = *stat;
  co_return std::move(lease);
}

Task<Result<LockView>> look_at_kazoo_semaphore(Session& session, Path lock, Children children,
                                               Context context) {
  LockView view;
  view.kind = LockView::Kind::kKazooSemaphore;
  for (const std::string_view name : children) {
    if (!is_kazoo_lease(name)) continue;
    std::optional<QueueEntry> lease = co_await ok(read_kazoo_lease(session, lock / name, context));
    if (lease) view.holders.push_back(std::move(*lease));
  }
  const Path waiters(lock.string() + "-__lock__");
  view.waiters = co_await ok(contenders_of(session, waiters, known_marks(), context));
  co_return std::move(view);
}

Task<Result<LockView>> look_at_semaphore(Session& session, Path lock, Context context) {
  LockView view;
  view.kind = LockView::Kind::kSemaphore;
  view.holders = co_await ok(contenders_of(session, lock / "leases", kLeaseMarks, context));
  view.waiters = co_await ok(contenders_of(session, lock / "locks", kMutexMarks, context));
  if (!view.holders.empty() || !view.waiters.empty()) co_return std::move(view);
  // It may be a folder of locks whose name is "locks". A contender may have come meanwhile.
  const Result<Children> others =
      co_await retried(session, &Session::get_children, lock / "locks", context);
  if (others && !others->empty() && in_queue_order(lock / "locks", kMutexMarks, *others).empty()) {
    view.kind = LockView::Kind::kNoLock;
  }
  if (!others && others.error() != Error::kNoNode) co_return failure(others.error());
  co_return std::move(view);
}

}  // namespace

std::string_view name(LockView::Kind kind) {
  switch (kind) {
    case LockView::Kind::kQueue: return "queue";
    case LockView::Kind::kSemaphore:
    case LockView::Kind::kKazooSemaphore: return "semaphore";
    case LockView::Kind::kZnode: return "znode";
    case LockView::Kind::kNoLock: return "no lock";
  }
  return "unknown kind";
}

Task<Result<LockView>> look_at(Session& session, Path lock, Context context) {
  LockView view;
  const DataAndStat itself = co_await ok(retried(session, &Session::get_data, lock, context));
  if (itself.stat.ephemeral_owner != 0) {
    view.kind = LockView::Kind::kZnode;
    UnfairMutex mutex(session, lock);
    std::optional<QueueEntry> holder = co_await ok(mutex.holder(context));
    if (holder) view.holders.push_back(std::move(*holder));
    co_return std::move(view);
  }
  const Children children = co_await ok(retried(session, &Session::get_children, lock, context));
  if (!in_queue_order(lock, known_marks(), children).empty()) {
    sort_into(view, co_await ok(contenders_of(session, lock, known_marks(), context)));
    co_return std::move(view);
  }
  if (contains(children, "leases") || contains(children, "locks")) {
    co_return co_await look_at_semaphore(session, lock, context);
  }
  if (std::ranges::any_of(children, &is_kazoo_lease)) {
    co_return co_await look_at_kazoo_semaphore(session, lock, children, context);
  }
  if (!children.empty()) view.kind = LockView::Kind::kNoLock;
  co_return std::move(view);
}

}  // namespace lockstep::program
