#include "lockstep/fake/client.h"

#include <utility>

#include "lockstep/ok.h"

namespace lockstep::fake {

std::shared_ptr<FakeSession> FakeClient::current() {
  if (!session_) open();
  return session_;
}

Task<Result<std::shared_ptr<Session>>> FakeClient::session(Context context) {
  if (!session_ || is_over(session_->state())) open();
  std::shared_ptr<FakeSession> opened = session_;
  const Result<void> connected = co_await opened->connected(std::move(context));
  if (!connected) co_return failure(why_no_session(connected.error()));
  co_return std::move(opened);
}

void FakeClient::resume(const FakeSession::Snapshot& snapshot) {
  const internal::PoolAllocator<FakeSession> memory;
  session_ = std::allocate_shared<FakeSession>(memory, process_, snapshot, options_);
  session_->set_observer(observer());
}

void FakeClient::let_go() noexcept {
  session_ = nullptr;
  set_observer(nullptr);
}

void FakeClient::open() {
  const std::optional<FakeSession::Credentials> attach_to = std::exchange(attach_to_, std::nullopt);
  const internal::PoolAllocator<FakeSession> memory;
  session_ = attach_to
                 ? std::allocate_shared<FakeSession>(memory, process_, timeout_, *attach_to,
                                                     chroot_, options_)
                 : std::allocate_shared<FakeSession>(memory, process_, timeout_, chroot_, options_);
  session_->set_observer(observer());
}

}  // namespace lockstep::fake
