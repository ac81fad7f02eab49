#include "lockstep/contenders.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>

#include "lockstep/retried.h"
#include "lockstep/when_all.h"

namespace lockstep {

namespace {

// Znodes that are read in one round trip: enough for long queues, and few enough that the other
// requests of the session do not wait for long.
constexpr std::size_t kReadTogether = 100;

// The distance of a number from the lowest of its queue: numbers that wrap around have no other
// total order.
std::uint32_t distance(std::int32_t lowest, const QueueEntry& entry) {
  return static_cast<std::uint32_t>(entry.contender.number) - static_cast<std::uint32_t>(lowest);
}

// The numbers of all contenders, or of the exclusive ones only: a queue of n readers would
// otherwise take n times n comparisons.
class Numbers {
 public:
  Numbers(const std::vector<QueueEntry>& queue, Share most) {
    for (const QueueEntry& entry : queue) {
      const Contender& one = entry.contender;
      const bool counts = most == Share::kShared || one.share == Share::kExclusive;
      if (counts) sorted_.push_back(static_cast<std::uint32_t>(one.number));
    }
    std::ranges::sort(sorted_);
  }
  // The nearest number below, around the wrap, precedes `number` if any of them does.
  [[nodiscard]] bool any_precedes(std::int32_t number) const {
    if (sorted_.empty()) return false;
    const auto at = std::ranges::lower_bound(sorted_, static_cast<std::uint32_t>(number));
    const std::uint32_t nearest = at == sorted_.begin() ? sorted_.back() : *std::prev(at);
    return precedes(static_cast<std::int32_t>(nearest), number);
  }

 private:
  std::vector<std::uint32_t> sorted_;
};

// The data of a znode and its Stat, or as much of them as its ACL shows: servers of 3.8 show every
// client that a znode exists.
Task<Result<DataAndStat>> read_what_is_shown(Session& session, Path znode, Context context) {
  Result<DataAndStat> read = co_await retried(session, &Session::get_data, znode, context);
  if (read || read.error() != Error::kNoAuth) co_return std::move(read);
  const Result<Stat> stat = co_await retried(session, &Session::exists, znode, context);
  if (!stat && stat.error() != Error::kNoAuth) co_return failure(stat.error());
  DataAndStat shown(Data(), stat ? *stat : Stat());
  co_return std::move(shown);
}

Task<std::vector<Result<DataAndStat>>> read_together(Session& session,
                                                     std::span<const QueueEntry> entries,
                                                     const Context& context) {
  std::vector<Task<Result<DataAndStat>>> reads;
  reads.reserve(entries.size());
  for (const QueueEntry& entry : entries) {
    reads.push_back(read_what_is_shown(session, entry.znode, context));
  }
  return when_all(std::move(reads));
}

// Stores the data and Stat of an entry; returns false if its znode is gone.
Result<bool> take_in(QueueEntry& entry, Result<DataAndStat> read) {
  if (!read && read.error() == Error::kNoNode) return false;
  if (!read) return failure(read.error());
  entry.data = std::move(read->data);
  entry.stat = read->stat;
  return true;
}

}  // namespace

std::vector<QueueEntry> in_queue_order(const Path& lock, Marks marks, const Children& children) {
  std::vector<QueueEntry> queue;
  for (const std::string_view name : children) {
    if (const std::optional<Contender> found = contender(name, marks)) {
      queue.emplace_back(lock / name, *found, true);
    }
  }
  if (queue.empty()) return queue;
  std::int32_t lowest = queue.front().contender.number;
  for (const QueueEntry& entry : queue) {
    if (precedes(entry.contender.number, lowest)) lowest = entry.contender.number;
  }
  std::ranges::sort(queue, [&](const QueueEntry& a, const QueueEntry& b) {
    if (a.contender.number == b.contender.number) return a.znode.view() < b.znode.view();
    return distance(lowest, a) < distance(lowest, b);
  });
  const Numbers all(queue, Share::kShared);
  const Numbers exclusive(queue, Share::kExclusive);
  for (QueueEntry& entry : queue) {
    const bool shares = entry.contender.share == Share::kShared;
    const Numbers& others = shares ? exclusive : all;
    entry.holds = !others.any_precedes(entry.contender.number);
  }
  return queue;
}

Task<Result<std::vector<QueueEntry>>> contenders_of(Session& session, Path lock, Marks marks,
                                                    Context context) {
  const Result<Children> children =
      co_await retried(session, &Session::get_children, lock, context);
  std::vector<QueueEntry> present;
  if (!children && children.error() == Error::kNoNode) co_return std::move(present);
  if (!children) co_return failure(children.error());
  std::vector<QueueEntry> queue = in_queue_order(lock, marks, *children);
  for (std::size_t first = 0; first < queue.size(); first += kReadTogether) {
    const std::size_t count = std::min(kReadTogether, queue.size() - first);
    const std::span<QueueEntry> entries(&queue[first], count);
    std::vector<Result<DataAndStat>> answers = co_await read_together(session, entries, context);
    for (std::size_t i = 0; i < count; ++i) {
      const bool there = co_await ok(take_in(entries[i], std::move(answers[i])));
      if (there) present.push_back(std::move(entries[i]));
    }
  }
  co_return std::move(present);
}

}  // namespace lockstep
