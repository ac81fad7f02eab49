#include "lockstep/internal/grant_guard.h"

#include "lockstep/retried.h"
#include "lockstep/revocation.h"
#include "lockstep/sleep.h"

namespace lockstep {

HeldLock::Guard::Guard(Session& session, const GrantRecord& record, Listener& listener)
    : session_(session),
      record_(record),
      gone_(listener, &Listener::znode_gone),
      revoke_(listener, &Listener::asked_to_revoke) {}

HeldLock::Guard::~Guard() {
  tasks_.clear();
  session_.executor().withdraw(gone_);
  session_.executor().withdraw(revoke_);
}

void HeldLock::Guard::watch_znode() {
  if (!std::exchange(watching_, true)) tasks_.spawn(keep_watch(*this, std::nullopt));
}

void HeldLock::Guard::go_on(Watch watch) {
  if (!std::exchange(watching_, true)) tasks_.spawn(keep_watch(*this, std::move(watch)));
}

void HeldLock::Guard::tell(Notice& notice) {
  if (std::exchange(notice.known, true)) return;
  session_.executor().post(notice);
}

// It looks again after every event: if our session has ended, that is the cause of a deletion, and
// the session reports it. If the ACL forbids us to read our own znode, its changes stay unknown; if
// that of the next holder's does, ours is gone. On a session without room for one more watch, the
// guard reads it every sixth of the session timeout instead.
Task<void> HeldLock::Guard::keep_watch(Guard& self, std::optional<Watch> left) {
  Session& session = self.session_;
  bool deleted = false;
  if (left) {
    const Result<WatchEvent> event = co_await left->fired();
    if (!event) co_return;
    deleted = event->type() == EventType::kDeleted;
    left.reset();
  }
  for (;;) {
    Result<Watched<DataAndStat>> own =
        co_await retried(session, &Session::get_data_watched, self.record_.znode, Context());
    if (own) {
      if (!self.examine(own->value)) co_return;
      const Result<WatchEvent> event = co_await own->watch.fired();
      if (!event) co_return;
      deleted = event->type() == EventType::kDeleted;
      continue;
    }
    if (own.error() == Error::kWatchLimit) {
      const Result<DataAndStat> unwatched =
          co_await retried(session, &Session::get_data, self.record_.znode, Context());
      if (unwatched && !self.examine(*unwatched)) co_return;
      if (!unwatched) own = failure(unwatched.error());
    }
    const bool hidden = deleted && own.error() == Error::kNoAuth;
    if (own.error() == Error::kNoNode || hidden) self.tell(self.gone_);
    if (own.error() != Error::kWatchLimit) co_return;
    const TimePoint next = session.executor().now() + session.timeout() / 6;
    static_cast<void>(co_await sleep_until(session.executor(), next));
  }
}

bool HeldLock::Guard::examine(const DataAndStat& own) {
  const bool ours = own.stat.czxid == record_.created;
  if (!ours) tell(gone_);
  if (ours && own.data.view() == kRevokeRequest) tell(revoke_);
  return ours;
}

}  // namespace lockstep
