#include "lockstep/internal/grant_guard.h"

#include "lockstep/retried.h"
#include "lockstep/revocation.h"

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
  if (!std::exchange(watching_, true)) tasks_.spawn(keep_watch(*this));
}

void HeldLock::Guard::tell(Notice& notice) {
  if (std::exchange(notice.known, true)) return;
  session_.executor().post(notice);
}

// If the ACL forbids us to read our own znode, what happens to it stays unknown.
Task<void> HeldLock::Guard::keep_watch(Guard& self) {
  for (;;) {
    const Result<Watched<DataAndStat>> own =
        co_await retried(self.session_, &Session::get_data_watched, self.record_.znode, Context());
    const bool missing = !own && own.error() == Error::kNoNode;
    const bool replaced = own && own->value.stat.czxid != self.record_.created;
    if (missing || replaced) {
      self.tell(self.gone_);
      co_return;
    }
    if (!own) co_return;
    if (own->value.data.view() == kRevokeRequest) self.tell(self.revoke_);
    const Result<WatchEvent> event = co_await own->watch.fired();
    if (!event) co_return;
  }
}

}  // namespace lockstep
