#include "lockstep/fakezk/network.h"

#include <span>

namespace lockstep::fakezk {

namespace {

[[gnu::always_inline]] inline void empty(Link& link) {
  link.endpoint = nullptr;
  link.open = false;
  link.requests.clear();
  link.inbox.clear();
  link.held_request.reset();
  link.inbox_flows = true;
  link.goes_to.reset();
}

// A connection begins or ends, which conflicts with every access to it.
void record_break(FootprintRecorder& recorder, LinkIndex index, std::size_t received) {
  recorder.writes(ObjectKind::kLink, index);
  recorder.truncated(QueueKind::kRequests, index, 0);
  recorder.truncated(QueueKind::kInbox, index, received);
}

}  // namespace

void Network::reset() { reset_to(Checkpoint()); }

Network::Checkpoint Network::checkpoint() const {
  Checkpoint checkpoint;
  for (LinkIndex index = 0; index < size_; ++index) {
    checkpoint.push_back({links_[index].open, links_[index].goes_to});
  }
  return checkpoint;
}

void Network::reset_to(const Checkpoint& checkpoint) {
  for (Link& link : std::span(links_).first(size_)) empty(link);
  size_ = 0;
  for (const Ends& ends : checkpoint) {
    Link& link = links_[size_++];
    link.open = ends.open;
    link.goes_to = ends.goes_to;
  }
  ready_.clear(size_);
  changed_ = false;
}

LinkIndex Network::add(Endpoint& endpoint) {
  if (size_ == links_.size()) links_.emplace_back();
  Link& link = links_[size_];
  link.endpoint = &endpoint;
  link.place_ = ReadyLinks::Place(size_);
  ready_.resize(size_ + 1);
  return size_++;
}

void Network::find_ready(const Link& link) {
  ready_.set(link.place_, ReadyLinks::Way::kDeliver, link.can_deliver());
  ready_.set(link.place_, ReadyLinks::Way::kApply, link.can_apply());
}

void Network::find_ready() {
  for (LinkIndex index = 0; index < size_; ++index) find_ready(links_[index]);
  changed_ = false;
}

void Network::detach_all() {
  for (LinkIndex index = 0; index < size_; ++index) links_[index].endpoint = nullptr;
}

void Network::connect(LinkIndex index, const Handshake& handshake) {
  Link& link = links_[index];
  if (recorder_) record_break(*recorder_, index, 0);
  link.open = true;
  link.requests.clear();
  link.inbox.clear();
  send(index, handshake);
  find_ready(link);
}

void Network::disconnect(LinkIndex index, std::size_t received, Error error) {
  Link& link = links_[index];
  if (recorder_) record_break(*recorder_, index, received);
  link.open = false;
  link.requests.clear();
  link.inbox.truncate(received);
  answer(index, ServerMessage::Kind::kConnectionEnded).reply = Reply(error);
  find_ready(link);
}

void Network::record_sent(LinkIndex index) {
  recorder_->reads(ObjectKind::kLink, index);
  recorder_->queued(QueueKind::kRequests, index);
}

void Network::record_answered(LinkIndex index) {
  recorder_->reads(ObjectKind::kLink, index);
  recorder_->writes(ObjectKind::kInbox, index);
  recorder_->queued(QueueKind::kInbox, index);
}

void Network::record_request_taken(LinkIndex index) {
  recorder_->reads(ObjectKind::kLink, index);
  recorder_->taken(QueueKind::kRequests, index);
}

void Network::record_item_taken(LinkIndex index) {
  recorder_->reads(ObjectKind::kLink, index);
  recorder_->taken(QueueKind::kInbox, index);
}

void Network::shut(LinkIndex index) {
  if (recorder_) recorder_->writes(ObjectKind::kLink, index);
  links_[index].open = false;
  find_ready(links_[index]);
}

void Network::abandon(LinkIndex index) {
  if (recorder_) record_break(*recorder_, index, 0);
  empty(links_[index]);
  find_ready(links_[index]);
}

}  // namespace lockstep::fakezk
