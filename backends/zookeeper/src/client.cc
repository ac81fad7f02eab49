#include "lockstep/zookeeper/client.h"

#include <utility>

#include "lockstep/ok.h"
#include "session.h"

namespace lockstep::zookeeper {

Client::Client(Runtime& runtime, Options options)
    : runtime_(runtime), options_(std::move(options)) {}

Client::~Client() {
  if (current_) current_->end_by_owner();
}

Task<Result<std::shared_ptr<lockstep::Session>>> Client::session(lockstep::Context context) {
  runtime_.check_is_current();
  if (!options_.well_formed()) co_return failure(Error::kBadArguments);
  if (current_ && is_over(current_->state())) retire_current();
  if (!current_) {
    current_ = std::make_shared<Session>(runtime_, options_);
    current_->set_observer(observer());
  }
  const std::shared_ptr<Session> session = current_;
  const Result<void> connected = co_await session->connected(std::move(context));
  if (!connected) co_return failure(why_no_session(connected.error()));
  co_return session;
}

// A session that is over may still be closing; dropping it now would wait for that.
void Client::retire_current() {
  std::erase_if(retired_, [](const auto& session) { return session->handle_closed(); });
  retired_.push_back(std::move(current_));
}

std::optional<Credentials> Client::credentials() const {
  if (!current_) return std::nullopt;
  return current_->credentials();
}

}  // namespace lockstep::zookeeper
