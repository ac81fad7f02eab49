#include "lockstep/guaranteed_remove.h"

#include "lockstep/ok.h"
#include "lockstep/retried.h"
#include "lockstep/session_observer.h"

namespace lockstep {

namespace {

Task<Result<void>> remove_until_gone(Session& session, Path znode) {
  Retry retry(session);
  for (;;) {
    const Result<void> removed = co_await session.remove(znode);
    if (removed || removed.error() == Error::kNoNode) co_return Result<void>();
    if (!is_transient(removed)) co_return removed;
    co_await ok(retry.after(removed.error(), Context()));
  }
}

// One attempt; the caller repeats it after a transient error.
Task<Result<void>> remove_children_of(Session& session, Path parent, std::string guid) {
  co_await ok(session.connected());
  co_await ok(session.sync(parent));
  const Result<Children> children = co_await session.get_children(parent);
  if (!children && children.error() == Error::kNoNode) co_return Result<void>();
  if (!children) co_return failure(children.error());
  for (const std::string_view name : *children) {
    if (!name.starts_with(guid)) continue;
    co_await ok(remove_until_gone(session, parent / name));
  }
  co_return Result<void>();
}

void tell_observer(const Session& session, const Path& znode) {
  if (session.observer()) session.observer()->cleaning_up(znode);
}

// There is no caller to report to. If the session is over, the znode is gone anyway.
void tell_outcome(const Session& session, const Path& znode, const Result<void>& removed) {
  if (removed || session_is_over(removed.error()) || !session.observer()) return;
  session.observer()->not_cleaned_up(znode, removed.error());
}

Task<void> remove_in_background(Session& session, Path znode, internal::CleanupEnd /*end*/) {
  const Result<void> removed = co_await remove_until_gone(session, znode);
  tell_outcome(session, znode, removed);
}

Task<void> remove_by_guid_in_background(Session& session, Path parent, std::string guid,
                                        internal::CleanupEnd /*end*/) {
  Retry retry(session);
  for (;;) {
    const Result<void> removed = co_await remove_children_of(session, parent, guid);
    if (!is_transient(removed)) co_return tell_outcome(session, parent, removed);
    const Result<void> ready = co_await retry.after(removed.error(), Context());
    if (!ready) co_return;
  }
}

Task<void> remove_if_ours_in_background(Session& session, Path znode, Data own_data) {
  Retry retry(session);
  for (;;) {
    const Result<void> removed = co_await remove_if_ours(session, znode, own_data, Context());
    if (!is_transient(removed)) co_return tell_outcome(session, znode, removed);
    const Result<void> ready = co_await retry.after(removed.error(), Context());
    if (!ready) co_return;
  }
}

// Reads the znode. If this session may not read it: kNoAuth if it is this session's, and kNoNode if
// it is another one's.
Task<Result<DataAndStat>> read_unless_anothers(Session& session, Path znode, Context context) {
  Zxid refused = 0;  // This session's znode of that czxid was there before the read.
  for (;;) {
    Result<DataAndStat> read = co_await session.get_data(znode, context);
    if (read || read.error() != Error::kNoAuth) co_return std::move(read);
    const Stat shown = co_await ok(session.exists(znode, context));
    if (shown.ephemeral_owner != session.id()) co_return failure(Error::kNoNode);
    if (shown.czxid == refused) co_return failure(Error::kNoAuth);
    // Another user of this session may have created it after the read, so read again.
    refused = shown.czxid;
  }
}

}  // namespace

Task<Result<void>> remove_if_ours(Session& session, Path znode, Data own_data, Context context) {
  co_await ok(session.connected(context));
  // Our earlier requests may be in flight, and the server may not have seen all of them.
  co_await ok(session.sync(znode, context));
  const Result<DataAndStat> read = co_await read_unless_anothers(session, znode, context);
  if (!read && read.error() == Error::kNoNode) co_return Result<void>();
  if (!read) co_return failure(read.error());
  const bool ours = read->stat.ephemeral_owner == session.id() && read->data == own_data;
  if (!ours) co_return Result<void>();
  const Result<void> removed = co_await session.remove(znode, -1, context);
  if (!removed && removed.error() == Error::kNoNode) co_return Result<void>();
  co_return removed;
}

void remove_guaranteed(Session& session, Path znode, internal::CleanupEnd end) {
  tell_observer(session, znode);
  session.in_background(remove_in_background(session, std::move(znode), std::move(end)));
}

void remove_guaranteed_by_guid(Session& session, Path parent, std::string guid,
                               internal::CleanupEnd end) {
  tell_observer(session, parent);
  session.in_background(
      remove_by_guid_in_background(session, std::move(parent), std::move(guid), std::move(end)));
}

void remove_guaranteed_if_ours(Session& session, Path znode, Data own_data) {
  tell_observer(session, znode);
  session.in_background(
      remove_if_ours_in_background(session, std::move(znode), std::move(own_data)));
}

void remove_left(Session& session, Path znode, Data own_data) {
  if (own_data.is_null()) return remove_guaranteed(session, std::move(znode));
  remove_guaranteed_if_ours(session, std::move(znode), std::move(own_data));
}

}  // namespace lockstep
