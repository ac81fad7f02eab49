#include "lockstep/fakezk/strays.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace lockstep::fakezk {

bool Strays::is_first(std::uint32_t index) const {
  const auto before = left_.begin() + index;
  return std::ranges::find(left_.begin(), before, before->session, &Left::session) == before;
}

// A credential counts for the writes behind it, and the server reads nothing behind a rejected one
// (ZooKeeperServer.processPacket).
void Strays::keep(Left left, Mailbox<ClientMessage>& sent, std::uint32_t count) {
  if (recorder_) recorder_->writes(ObjectKind::kSession, left.session);
  for (std::uint32_t i = 0; i < count && !sent.empty(); ++i) {
    std::unique_ptr<ClientMessage> message = sent.take();
    if (message->kind != ClientMessage::Kind::kRequest) continue;
    const Request& request = message->request;
    if (request.op == OpCode::kAddAuth) {
      std::optional<Identity> shown = authenticate(request.scheme().view(), request.data);
      if (!shown) break;
      if (shown->scheme == "ip") continue;
      Left behind{left.session, left.replica, left.identities, {}};
      behind.identities.add(*std::move(shown));
      if (!left.requests.empty()) left_.push_back(std::move(left));
      left = std::move(behind);
    } else if (is_write(request.op)) {
      left.requests.put(std::move(message));
    }
  }
  if (!left.requests.empty()) left_.push_back(std::move(left));
}

Strays::Stray Strays::take(std::uint32_t index) {
  Left& left = left_[index];
  if (recorder_) recorder_->writes(ObjectKind::kSession, left.session);
  Stray taken{left.session, left.identities, left.requests.take()};
  if (left.requests.empty()) left_.erase(left_.begin() + index);
  return taken;
}

void Strays::drop(SessionIndex session, ReplicaIndex unless_on) {
  std::erase_if(left_, [&](const Left& left) {
    return left.session == session && left.replica != unless_on;
  });
}

void Strays::drop(ReplicaIndex on) {
  std::erase_if(left_, [&](const Left& left) {
    if (left.replica != on) return false;
    if (recorder_) recorder_->writes(ObjectKind::kSession, left.session);
    return true;
  });
}

}  // namespace lockstep::fakezk
