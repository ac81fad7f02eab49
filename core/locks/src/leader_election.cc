#include "lockstep/leader_election.h"

#include "lockstep/retried.h"

namespace lockstep {

namespace {

// A candidate whose number keeps no order has no place in the queue and leaves at once: it never
// leads, and several candidates may share that number.
std::optional<Path> first_of(const Path& election, Marks marks, const Children& children) {
  const std::vector<QueueEntry> queue = in_queue_order(election, marks, children);
  if (queue.empty() || !keeps_order(queue.front().contender.number)) return std::nullopt;
  return queue.front().znode;
}

}  // namespace

Task<Result<void>> LeaderElection::proclaim(const HeldLock& leadership, Data candidate,
                                            Context context) {
  const Result<Stat> set = co_await set_data_retried(session_, leadership.znode(),
                                                     std::move(candidate), std::move(context));
  if (!set) co_return failure(set.error());
  co_return Result<void>();
}

Task<Result<std::optional<Path>>> LeaderElection::first_candidate(Context context) {
  const Result<Children> children =
      co_await retried(session_, &Session::get_children, election_, std::move(context));
  if (children) co_return first_of(election_, marks_, *children);
  if (children.error() == Error::kNoNode) co_return std::optional<Path>();
  co_return failure(children.error());
}

Task<Result<std::optional<Leader>>> LeaderElection::leader(Context context) {
  for (;;) {
    const std::optional<Path> first = co_await ok(first_candidate(context));
    if (!first) co_return std::optional<Leader>();
    Result<DataAndStat> read = co_await retried(session_, &Session::get_data, *first, context);
    if (!read && read.error() == Error::kNoNode) continue;
    if (!read) co_return failure(read.error());
    Leader found(*first, std::move(read->data), read->stat);
    found.token = session_.fencing_token(found.token);
    co_return std::move(found);
  }
}

Task<Result<std::optional<Leader>>> LeaderElection::leader_after(Zxid known, Context context) {
  for (;;) {
    // 1. Find the first candidate.
    const std::optional<Path> first = co_await ok(first_candidate(context));
    if (!first && known != 0) co_return std::optional<Leader>();
    if (!first) {
      co_await ok(candidacy(context));
      continue;
    }
    // 2. Watch the leader only. (kNoNode: it has gone already.)
    Result<Watched<DataAndStat>> read =
        co_await retried(session_, &Session::get_data_watched, *first, context);
    if (!read && read.error() == Error::kNoNode) continue;
    if (!read) co_return failure(read.error());
    // 3. If the leader or its description differs, return it. Otherwise wait for a change; back to
    // 1.
    if (read->value.stat.mzxid != known) {
      Leader found(*first, std::move(read->value.data), read->value.stat);
      found.token = session_.fencing_token(found.token);
      co_return std::move(found);
    }
    co_await ok(read->watch.fired(context));
  }
}

// Waits until an election without candidates may have one.
Task<Result<void>> LeaderElection::candidacy(Context context) {
  const Result<Watched<Children>> list =
      co_await retried(session_, &Session::get_children_watched, election_, context);
  if (list) {
    const bool nobody = !first_of(election_, marks_, list->value);
    if (nobody) co_await ok(list->watch.fired(std::move(context)));
    co_return Result<void>();
  }
  if (list.error() != Error::kNoNode) co_return failure(list.error());
  const auto parent = co_await ok(retried(session_, &Session::exists_watched, election_, context));
  if (!parent.value) co_await ok(parent.watch.fired(std::move(context)));
  co_return Result<void>();
}

}  // namespace lockstep
