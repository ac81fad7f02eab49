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

// The connection ends or begins: nothing that touches it can be swapped with that.
void record_break(FootprintRecorder& recorder, LinkIndex index, std::size_t received) {
  recorder.writes(ObjectKind::kLink, index);
  recorder.writes(ObjectKind::kRequestHead, index);
  recorder.writes(ObjectKind::kRequestTail, index);
  recorder.writes(ObjectKind::kInboxHead, index);
  recorder.writes(ObjectKind::kInboxTail, index);
  recorder.truncated(QueueKind::kRequests, index, 0);
  recorder.truncated(QueueKind::kInbox, index, received);
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
  if (recorder_) record_break(*recorder_, index, 0);
  link.open = true;
  link.requests.clear();
  link.inbox.clear();
  send(index, ClientMessage(handshake));
}

void Network::disconnect(LinkIndex index, std::size_t received, Error error) {
  Link& link = *links_[index];
  if (recorder_) record_break(*recorder_, index, received);
  link.open = false;
  link.requests.clear();
  link.inbox.truncate(received);
  answer(index, ServerMessage::Kind::kConnectionEnded).reply = Reply(error);
}

void Network::send(LinkIndex index, ClientMessage message) {
  if (recorder_) {
    recorder_->reads(ObjectKind::kLink, index);
    recorder_->writes(ObjectKind::kRequestTail, index);
    recorder_->queued(QueueKind::kRequests, index);
  }
  links_[index]->requests.push(std::move(message));
}

ServerMessage& Network::answer(LinkIndex index, ServerMessage::Kind kind) {
  if (recorder_) {
    recorder_->writes(ObjectKind::kInboxTail, index);
    recorder_->queued(QueueKind::kInbox, index);
  }
  return links_[index]->inbox.emplace(kind);
}

ClientMessage Network::take_request(LinkIndex index) {
  if (recorder_) {
    recorder_->reads(ObjectKind::kLink, index);
    recorder_->writes(ObjectKind::kRequestHead, index);
    recorder_->taken(QueueKind::kRequests, index);
  }
  return links_[index]->requests.pop();
}

ServerMessage Network::take_item(LinkIndex index) {
  if (recorder_) {
    recorder_->writes(ObjectKind::kInboxHead, index);
    recorder_->taken(QueueKind::kInbox, index);
  }
  return links_[index]->inbox.pop();
}

void Network::shut(LinkIndex index) {
  if (recorder_) recorder_->writes(ObjectKind::kLink, index);
  links_[index]->open = false;
}

void Network::abandon(LinkIndex index) {
  empty(*links_[index]);
  links_[index]->endpoint = nullptr;
}

}  // namespace lockstep::fakezk
