#include "lockstep/zookeeper/client.h"

#include <utility>

#include "c_handle.h"
#include "server_list.h"
#include "session.h"

namespace lockstep::zookeeper {

Client::Client(Runtime& runtime, Options options)
    : runtime_(runtime), options_(std::move(options)) {}

Client::~Client() {
  if (current_) current_->end_by_owner();
}

Task<Result<std::shared_ptr<lockstep::Session>>> Client::session(lockstep::Context context) {
  runtime_.check_is_current();
  if (options_.defect()) {
    co_return failure(missing_feature(options_) ? Error::kUnimplemented : Error::kBadArguments);
  }
  if (current_ && is_over(current_->state())) retire_current();
  if (!current_) {
    current_ = std::make_shared<Session>(runtime_, options_);
    current_->set_observer(observer());
    options_.attach_to.reset();  // To be attached to once: what comes after that is ours.
  }
  const std::shared_ptr<Session> session = current_;
  const Result<void> connected = co_await session->connected(std::move(context));
  if (connected) co_return session;
  if (session->given_up()) co_return failure(Error::kNotConnected);
  co_return failure(why_no_session(connected.error()));
}

std::string Client::last_failure() const {
  if (const std::optional<std::string> defect = options_.defect()) return *defect;
  return current_ ? current_->last_failure() : std::string();
}

Result<void> Client::set_servers(const std::string& servers) {
  ServerList list(servers);
  if (list.defect()) return failure(Error::kBadArguments);
  options_.connection_string.replace(0, options_.servers().size(), servers);
  if (current_) current_->set_servers(list.servers());
  return {};
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
