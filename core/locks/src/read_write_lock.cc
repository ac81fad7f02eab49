#include "lockstep/read_write_lock.h"

#include <optional>
#include <utility>

#include "lockstep/internal/acquire_notice.h"
#include "lockstep/internal/cleanup.h"
#include "lockstep/internal/contact_wait.h"
#include "lockstep/internal/grant.h"
#include "lockstep/internal/linked_stop.h"
#include "lockstep/internal/unsettled_znode.h"
#include "lockstep/place.h"
#include "lockstep/retried.h"
#include "lockstep/revocation.h"
#include "lockstep/take_place.h"
#include "lockstep/task_set.h"

namespace lockstep {

namespace {

std::string_view mark(Share share) { return share == Share::kShared ? kReadMark : kWriteMark; }

// The number that the server appended to the name of a sequential znode, as it wrote it.
std::string_view digits_of(std::string_view name) {
  return name.substr(name.rfind(kWriteMark) + kWriteMark.size());
}

Task<void> stop_when_changed(Session& session, Path znode, std::stop_source stop) {
  const Result<void> changed = co_await change_of(session, znode, Context());
  if (changed) stop.request_stop();
}

// Waits to upgrade, and notices if the writer is deleted. Other contenders notice that when it is
// their turn, but here the reader in front may upgrade as well: without our writer in the queue it
// sees no conflict, and the two wait for each other's read grants forever. All arguments outlive
// the task.
Task<Result<TurnProof>> wait_to_upgrade(const LockQueue& queue, const Path& ours, Patience patience,
                                        const Context& context,
                                        std::optional<Result<Children>> first) {
  for (;;) {
    // Look once without watches: often there are no other readers. (kNoNode: our writer is gone.)
    Result<TurnProof> at_once = co_await wait_in_queue(queue, ours, Patience::kDoesNotWait, context,
                                                       std::exchange(first, std::nullopt));
    const bool has_to_wait = !at_once && at_once.error() == Error::kConflict;
    if (!has_to_wait || patience == Patience::kDoesNotWait) co_return std::move(at_once);
    internal::LinkedStop woken(context.stop(), context.stop());
    TaskSet others;
    others.spawn(stop_when_changed(queue.session, ours, woken.source()));
    const Context bounded = woken.bound(context);
    Result<TurnProof> waited = co_await wait_in_queue(queue, ours, patience, bounded);
    const bool stopped = !waited && waited.error() == Error::kCancelled;
    if (!stopped || context.stop().stop_requested()) co_return std::move(waited);
  }
}

// Creates `reader` only while `writer` exists; both are ours and ephemeral. On an error, what it
// may have created is deleted in the background. The options outlive the task.
Task<Result<Stat>> create_beside(Session& session, Path writer, Path reader,
                                 const LockOptions& options, Context context) {
  Retry retry(session);
  for (;;) {
    Creation creation(CreateMode::kEphemeral, options.acl);
    Transaction both =
        Transaction().check(writer).create(reader, options.data, std::move(creation));
    internal::UnsettledZnode ours(session, reader);
    Operation<MultiResults> create = session.multi(std::move(both), context);
    const bool was_sent = !create.done();
    const auto created = co_await create;
    const Error error = created ? Error::kNothing : created.error().error;
    if (!created && !(was_sent && may_be_applied(error))) ours.settled();
    if (error == Error::kThrottledOp) {
      co_await ok(retry.after(error, context));
      continue;
    }
    if (!created && !outcome_unknown(error)) co_return failure(error);
    if (!created) co_await ok(settled(session, reader, context));
    Result<Stat> found = co_await retried(session, &Session::exists, reader, context);
    if (found || found.error() == Error::kNoNode) ours.settled();
    const bool never_applied = !created && !found && found.error() == Error::kNoNode;
    if (!never_applied) co_return std::move(found);
  }
}

// Repeats the old grant's revocation request for the new one. There is no caller to report errors
// to: the znode goes with the grant, or with the session.
Task<void> ask_again(Session& session, Path znode) {
  static_cast<void>(
      co_await set_data_retried(session, std::move(znode), Data(kRevokeRequest), Context()));
}

}  // namespace

// Releases the old grant of a revocable lock, with the version of its znode that it knows: a
// request to revoke it changes that. The new grant's znode then gets the request. If the old grant
// continued another one, it first waits for that one's request.
Task<void> ReadWriteLock::hand_over(Session& session, HeldLock old, Path next,
                                    internal::CleanupEnd /*end*/) {
  const internal::Ref<internal::Cleanup> before = old.grant().hand_over;
  if (before) static_cast<void>(co_await before->over.wait());
  bool asked = old.revoked_token().stop_requested();
  std::int32_t version = 0;
  while (!asked) {
    const Result<void> released = co_await old.release_version(version);
    if (released) co_return;
    const Result<DataAndStat> read =
        co_await retried(session, &Session::get_data, old.znode(), Context());
    if (!read) break;
    asked = read->data.view() == kRevokeRequest;
    version = read->stat.version;
  }
  release_in_background(session, std::move(old));
  if (asked) co_await ask_again(session, std::move(next));
}

Task<Result<HeldLock>> ReadWriteLock::acquire(One, Share share, Patience patience,
                                              Context context) {
  internal::AcquireNotice under_way(session_, lock_, observer_);
  const Result<void> valid = options_.valid_without_marks();
  if (!valid) co_return under_way.failed(valid.error());
  internal::CleanupEnd nobody_waits;
  Result<HeldLock> held =
      co_await queue_up(share, Path(Text()), patience, std::move(context), std::move(nobody_waits));
  if (!held) co_return under_way.failed(held.error());
  co_return std::move(held);
}

// `own`: the read grant that is being upgraded, if any. `end` goes with the new znode, unless that
// becomes a grant.
Task<Result<HeldLock>> ReadWriteLock::queue_up(Share share, Path own, Patience patience,
                                               Context context, internal::CleanupEnd end) {
  if (internal::loses_at_once(session_, options_.loss)) [[unlikely]] {
    co_await ok(internal::wait_for_contact(session_, options_.loss, context));
  }
  // 1. Take a place in the queue: "<lock>/_c_<guid>-__READ__<number>", or __WRIT__.
  const std::string marked = "-" + std::string(mark(share));
  // 2. List the queue, without waiting for the answer to 1.
  Arrival ours = co_await ok(take_place_and_list(session_, lock_, marked, options_.data,
                                                 options_.acl, context, std::move(end)));
  Place place(session_, ours.znode, observer_, std::move(ours.end));
  if (observer_) observer_->place_reserved(session_.id(), lock_, ours.znode);
  warn_of_numbers(observer_, lock_, ours.znode);
  // 3. to 5. A reader waits until no writer is in front, a writer until no contender is. The
  // predecessor may have left a downgraded reader in its place, so the writer lists again.
  LockQueue queue(session_, lock_, kReadWriteMarks, observer_);
  queue.own = own;
  Task<Result<TurnProof>> waiting =
      own.view().empty()
          ? wait_in_queue(queue, ours.znode, patience, context, std::move(ours.list))
          : wait_to_upgrade(queue, ours.znode, patience, context, std::move(ours.list));
  const Zxid evidence = co_await ok(std::move(waiting));
  GrantRecord grant(session_.id(), lock_, ours.znode, ours.created, evidence);
  grant.share = share;
  grant.continues = own;
  co_return place.grant(std::move(grant), observer_, options_.of_grant());
}

Result<void> ReadWriteLock::can_change(const HeldLock& held, Share from) const {
  if (held.lock() != lock_ || held.share() != from) return failure(Error::kBadArguments);
  if (held.state() == LockState::kLost) return failure(*held.cause());
  if (held.state() == LockState::kReleased) return failure(Error::kBadArguments);
  return options_.valid_without_marks();
}

// A grant that the client's clock has ended meanwhile is not continued: its holder was told that it
// is lost.
Result<void> ReadWriteLock::can_take_over(const HeldLock& held, Result<HeldLock>& next) {
  if (held.state() == LockState::kLost) {
    if (next && !is_over(session_.state())) release_in_background(session_, std::move(*next));
    return failure(*held.cause());
  }
  if (!next) return failure(next.error());
  return {};
}

void ReadWriteLock::replace(HeldLock& held, HeldLock next) {
  std::swap(held, next);
  if (options_.revocable) {
    const auto under_way = internal::Ref<internal::Cleanup>::make(session_.executor());
    internal::CleanupEnd end(under_way);
    held.grant().hand_over = under_way;
    session_.in_background(hand_over(session_, std::move(next), held.znode(), std::move(end)));
  } else {
    release_in_background(session_, std::move(next));
  }
}

// A writer that an earlier upgrade has left would count as another one.
Task<Result<HeldLock>> ReadWriteLock::queue_up_to_upgrade(HeldLock& held, Patience patience,
                                                          Context context) {
  const internal::Ref<internal::Cleanup> before = held.grant().writer_left;
  if (before) co_await ok(before->over.wait(context));
  const auto ours = internal::Ref<internal::Cleanup>::make(executor());
  internal::CleanupEnd end(ours);
  held.grant().writer_left = ours;
  co_return co_await queue_up(Share::kExclusive, held.znode(), patience, std::move(context),
                              std::move(end));
}

Task<Result<void>> ReadWriteLock::upgrade(One, HeldLock& held, Patience patience, Context context) {
  co_await ok(can_change(held, Share::kShared));
  // A context that has ended sends nothing, not even for the token below.
  if (context.stop_requested()) co_return failure(Error::kCancelled);
  const bool late = context.deadline() && *context.deadline() <= executor().now();
  if (late) co_return failure(Error::kTimedOut);
  // 1. Queue up as a writer, and keep the read grant. 2. Wait for the readers in front. Another
  // writer in front is a conflict: it waits for our read grant and would never let us through. A
  // lost read grant ends the wait, in which our writer stops the readers that come later.
  const internal::LinkedStop ended(context.stop(), held.lost_token());
  Result<HeldLock> writer = co_await queue_up_to_upgrade(held, patience, ended.bound(context));
  const Result<void> ready = can_take_over(held, writer);
  // Our writer's place has ended with the session.
  const bool over = !ready && is_over(session_.state());
  if (over && observer_) observer_->gave_up(session_.id(), lock_, session_.end_error());
  if (!ready) co_return failure(ready.error());
  // 3. Give up the read grant. No contender could come in between: our writer is in the queue.
  replace(held, std::move(*writer));
  co_return Result<void>();
}

Task<Result<void>> ReadWriteLock::downgrade(One, HeldLock& held, Context context) {
  co_await ok(can_change(held, Share::kExclusive));
  // 1. A reader takes its place beside our writer. 2. The writer leaves.
  Result<HeldLock> reader =
      co_await inherit_place(held.znode(), held.fencing_token(), std::move(context));
  const Result<void> ready = can_take_over(held, reader);
  if (!ready) co_return failure(ready.error());
  replace(held, std::move(*reader));
  co_return Result<void>();
}

// The reader has its writer's number: a contender that waits after the writer waits after the
// reader. Only the server can ensure that the writer still exists when the reader is created;
// otherwise another client may already hold the lock.
Task<Result<HeldLock>> ReadWriteLock::inherit_place(Path writer, Zxid token, Context context) {
  std::string name("_c_");
  name += Guid(session_.random()).view();
  name += "-";
  name += kReadMark;
  name += digits_of(writer.name());
  const Path reader = lock_ / name;
  const Stat stat =
      co_await ok(create_beside(session_, writer, reader, options_, std::move(context)));
  Place place(session_, reader);
  GrantRecord grant(session_.id(), lock_, reader, token, stat.czxid);
  grant.created = stat.czxid;
  grant.share = Share::kShared;
  grant.continues = writer;
  co_return place.grant(std::move(grant), observer_, options_.of_grant());
}

}  // namespace lockstep
