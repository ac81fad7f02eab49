#include "lockstep/fakezk/network.h"

namespace lockstep::fakezk {

namespace {

void empty(Link& link) {
  link.open = false;
  link.requests.clear();
  link.inbox.clear();
  link.held_request.reset();
  link.inbox_held = false;
  link.goes_to.reset();
}

}  // namespace

void Network::reset() {
  for (LinkIndex index = 0; index < size_; ++index) {
    empty(*links_[index]);
    links_[index]->endpoint = nullptr;
  }
  size_ = 0;
}

LinkIndex Network::add(Endpoint& endpoint) {
  if (size_ == links_.size()) links_.push_back(std::make_unique<Link>());
  links_[size_]->endpoint = &endpoint;
  return size_++;
}

void Network::connect(LinkIndex index, const Handshake& handshake) {
  Link& link = *links_[index];
  link.open = true;
  link.requests.clear();
  link.inbox.clear();
  link.requests.push(ClientMessage(handshake));
}

void Network::disconnect(LinkIndex index, std::size_t received, Error error) {
  Link& link = *links_[index];
  link.open = false;
  link.requests.clear();
  link.inbox.truncate(received);
  ServerMessage end(ServerMessage::Kind::kConnectionEnded);
  end.reply = Reply(error);
  link.inbox.push(std::move(end));
}

void Network::abandon(LinkIndex index) {
  empty(*links_[index]);
  links_[index]->endpoint = nullptr;
}

}  // namespace lockstep::fakezk
