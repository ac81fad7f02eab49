#include "lockstep/fake/client.h"

#include <algorithm>
#include <utility>

#include "lockstep/ok.h"

namespace lockstep::fake {

std::shared_ptr<FakeSession> FakeClient::current() {
  if (!session_) open();
  return session_;
}

Task<Result<std::shared_ptr<Session>>> FakeClient::session(Context context) {
  for (;;) {
    if (!session_ || is_over(session_->state())) open();
    std::shared_ptr<FakeSession> opened = session_;
    const SessionState found = opened->state();
    const Result<void> connected = co_await opened->connected(context);
    if (connected) co_return std::move(opened);
    if (opens_another(found, connected.error())) continue;
    co_return failure(why_no_session(connected.error()));
  }
}

void FakeClient::resume(const FakeSession::Snapshot& snapshot) {
  const internal::PoolAllocator<FakeSession> memory;
  session_ = std::allocate_shared<FakeSession>(memory, process_, snapshot, options_);
  session_->set_observer(observer());
}

std::shared_ptr<FakeSession> FakeClient::leave_session() {
  if (session_) left_.push_back(session_);
  return std::exchange(session_, nullptr);
}

std::vector<SessionId> FakeClient::session_ids() const {
  std::vector<SessionId> ids;
  if (session_) ids.push_back(session_->id());
  for (const std::weak_ptr<FakeSession>& left : left_) {
    if (const std::shared_ptr<FakeSession> session = left.lock()) ids.push_back(session->id());
  }
  std::erase(ids, 0);
  return ids;
}

bool FakeClient::has_session(SessionId id) const {
  const std::vector<SessionId> ids = session_ids();
  return std::ranges::find(ids, id) != ids.end();
}

FakeSession::Waiting FakeClient::session_waiting() const {
  FakeSession::Waiting all = session_ ? session_->waiting() : FakeSession::Waiting();
  for (const std::weak_ptr<FakeSession>& left : left_) {
    const std::shared_ptr<FakeSession> session = left.lock();
    if (!session) continue;
    const FakeSession::Waiting more = session->waiting();
    all.requests.insert(all.requests.end(), more.requests.begin(), more.requests.end());
    all.watches.insert(all.watches.end(), more.watches.begin(), more.watches.end());
  }
  return all;
}

void FakeClient::Replaced::add(std::shared_ptr<FakeSession> session) {
  sessions_.push_back(std::move(session));
  if (!queued) process_.post(*this);
}

// One by one: what runs in the background of a session is destroyed with it, and may replace the
// next one.
void FakeClient::Replaced::destroy() noexcept {
  if (queued) process_.withdraw(*this);
  while (!sessions_.empty()) {
    const std::shared_ptr<FakeSession> over = std::move(sessions_.back());
    sessions_.pop_back();
  }
}

void FakeClient::let_go() noexcept {
  session_ = nullptr;
  replaced_.destroy();
  left_.clear();
  set_observer(nullptr);
}

void FakeClient::open() {
  if (session_) replaced_.add(std::move(session_));
  const std::optional<FakeSession::Credentials> attach_to = std::exchange(attach_to_, std::nullopt);
  const internal::PoolAllocator<FakeSession> memory;
  session_ = attach_to
                 ? std::allocate_shared<FakeSession>(memory, process_, timeout_, *attach_to,
                                                     chroot_, options_)
                 : std::allocate_shared<FakeSession>(memory, process_, timeout_, chroot_, options_);
  session_->set_observer(observer());
}

}  // namespace lockstep::fake
