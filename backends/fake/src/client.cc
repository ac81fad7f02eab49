#include "lockstep/fake/client.h"

#include "lockstep/ok.h"

namespace lockstep::fake {

std::shared_ptr<FakeSession> FakeClient::current() {
  if (!session_) session_ = std::make_shared<FakeSession>(process_, timeout_);
  return session_;
}

Task<Result<std::shared_ptr<Session>>> FakeClient::session(Context context) {
  if (!session_ || is_over(session_->state())) {
    session_ = std::make_shared<FakeSession>(process_, timeout_);
  }
  const std::shared_ptr<FakeSession> opened = session_;
  co_await ok(opened->connected(context));
  co_return opened;
}

}  // namespace lockstep::fake
