#include "lockstep/unfair_mutex.h"

#include <string>
#include <string_view>
#include <utility>

#include "lockstep/internal/acquire_notice.h"
#include "lockstep/internal/contact_wait.h"
#include "lockstep/internal/unsettled_znode.h"
#include "lockstep/retried.h"
#include "lockstep/take_place.h"
#include "lockstep/turn.h"

namespace lockstep {

namespace {

// Separates the GUID of an attempt from the holder's own data.
constexpr char kSeparator = '\n';

Data own_data(const Guid& guid, const Data& holder_data) {
  std::string text(guid.view());
  if (!holder_data.is_null()) text += kSeparator;
  text += holder_data.view();
  return Data(std::string_view(text));
}

// The holder's own data, without our GUID; all of the data if another library wrote it.
Data without_guid(const Data& written) {
  const std::string_view text = written.view();
  if (!Guid::recognized(text.substr(0, Guid::kLength))) return written;
  if (text.size() == Guid::kLength) return Data();
  if (text[Guid::kLength] != kSeparator) return written;
  return Data(text.substr(Guid::kLength + 1));
}

// Finds the Stat of our znode after a create whose reply was lost. kNoNode if no znode of ours
// exists. kNoAuth if that is unknown, because we may not read the znode.
Task<Result<Stat>> find_ours(Session& session, Path znode, Data own, Context context) {
  co_await ok(settled(session, znode, context));
  Zxid refused = 0;  // This session's znode of that czxid was there before the read.
  for (;;) {
    const Result<DataAndStat> read = co_await retried(session, &Session::get_data, znode, context);
    const bool ours = read && read->stat.ephemeral_owner == session.id() && read->data == own;
    if (read && !ours) co_return failure(Error::kNoNode);
    if (read) co_return read->stat;
    if (read.error() != Error::kNoAuth) co_return failure(read.error());
    const Stat shown = co_await ok(retried(session, &Session::exists, znode, context));
    if (shown.ephemeral_owner != session.id()) co_return failure(Error::kNoNode);
    if (shown.czxid == refused) co_return failure(Error::kNoAuth);
    // Another user of this session may have created it after the read, so read again.
    refused = shown.czxid;
  }
}

// Waits until the holder's znode changes. kNodeExists if it is no lock, because no session owns it;
// without permission to read it, nobody can tell.
Task<Result<void>> change_of_holder(Session& session, Path znode, Context context) {
  Result<Watched<DataAndStat>> read =
      co_await retried(session, &Session::get_data_watched, znode, context);
  if (!read && read.error() == Error::kNoNode) co_return Result<void>();
  if (!read && read.error() == Error::kNoAuth) {
    co_return co_await change_of(session, std::move(znode), std::move(context));
  }
  if (!read) co_return failure(read.error());
  if (read->value.stat.ephemeral_owner == 0) co_return failure(Error::kNodeExists);
  co_await ok(read->watch.fired(std::move(context)));
  co_return Result<void>();
}

// One attempt. kNodeExists: another client has it.
Task<Result<Stat>> create_once(Session& session, Path znode, Data own, Acl acl, Context context) {
  Retry retry(session);
  for (;;) {
    internal::UnsettledZnode ours(session, znode, own);
    Operation<Created> create =
        session.create(znode, own, Creation(CreateMode::kEphemeral, acl), context);
    const bool was_sent = !create.done();
    const Result<Created> created = co_await create;
    Result<Stat> stat = failure(created ? Error::kNoNode : created.error());
    if (created) {
      stat = created->stat;
    } else if (outcome_unknown(created.error())) {
      stat = co_await find_ours(session, znode, own, context);
    }
    const Error error = stat ? Error::kNoNode : stat.error();
    const bool refused = !created && !(was_sent && may_be_applied(created.error()));
    if (stat || refused || error == Error::kNoNode) ours.settled();
    if (error == Error::kThrottledOp) {
      co_await ok(retry.after(error, context));
      continue;
    }
    if (stat || error != Error::kNoNode) co_return std::move(stat);
    // The parent is missing, or the create was lost on its way: then the parent is not created,
    // which may be forbidden.
    const bool was_lost = outcome_unknown(created);
    if (!was_lost) co_await ok(ensure_parent(session, znode.parent(), context, acl));
  }
}

}  // namespace

Task<Result<std::optional<QueueEntry>>> UnfairMutex::holder(Context context) {
  const Result<DataAndStat> read =
      co_await retried(session_, &Session::get_data, znode_, std::move(context));
  std::optional<QueueEntry> found;
  if (!read && read.error() == Error::kNoNode) co_return std::move(found);
  if (!read && read.error() != Error::kNoAuth) co_return failure(read.error());
  if (read && read->stat.ephemeral_owner == 0) co_return std::move(found);
  const Contender contender{0, Share::kExclusive};
  found.emplace(znode_, contender, true);
  if (read) found->data = without_guid(read->data);
  if (read) found->stat = read->stat;
  co_return std::move(found);
}

Result<void> UnfairMutex::valid() const {
  if (options_.revocable) return failure(Error::kBadArguments);
  return options_.valid_without_marks();
}

Task<Result<HeldLock>> UnfairMutex::acquire(One, Patience patience, Context context) {
  if (observer_) observer_->part_of(znode_, znode_, LockPart::kGrants);
  internal::AcquireNotice under_way(session_, znode_, observer_);
  const Result<void> suitable = valid();
  if (!suitable) co_return under_way.failed(suitable.error());
  if (internal::loses_at_once(session_, options_.loss)) [[unlikely]] {
    const Result<void> sure = co_await internal::wait_for_contact(session_, options_.loss, context);
    if (!sure) co_return under_way.failed(sure.error());
  }
  const Guid guid(session_.random());
  const Data own = own_data(guid, options_.data);
  const Result<Stat> stat = co_await create_until_held(own, patience, std::move(context));
  if (!stat) co_return under_way.failed(stat.error());
  internal::UnsettledZnode ours(session_, znode_, own);
  GrantRecord grant(session_.id(), znode_.parent(), znode_, stat->czxid, stat->czxid);
  GrantOptions kept = options_.of_grant();
  kept.own_data = own;
  HeldLock held(session_, std::move(grant), observer_, std::move(kept));
  ours.settled();
  co_return std::move(held);
}

Task<Result<Stat>> UnfairMutex::create_until_held(Data own, Patience patience, Context context) {
  for (;;) {
    // 1. Create the znode: the contender that succeeds holds the lock.
    Result<Stat> created = co_await create_once(session_, znode_, own, options_.acl, context);
    if (created || created.error() != Error::kNodeExists) co_return std::move(created);
    // 2. Another client holds it: wait until the znode changes, then back to 1.
    if (patience == Patience::kDoesNotWait) co_return failure(Error::kConflict);
    if (observer_) observer_->waiting(session_.id(), znode_, 1);
    co_await ok(change_of_holder(session_, znode_, context));
  }
}

}  // namespace lockstep
