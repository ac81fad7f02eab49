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
    case LockView::Kind::kSemaphore: return "semaphore";
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
  if (!children.empty()) view.kind = LockView::Kind::kNoLock;
  co_return std::move(view);
}

}  // namespace lockstep::program
