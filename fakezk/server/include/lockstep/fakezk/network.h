#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "lockstep/fakezk/footprint.h"
#include "lockstep/fakezk/mailbox.h"
#include "lockstep/fakezk/message.h"
#include "lockstep/fakezk/ready_links.h"
#include "lockstep/fakezk/watch_table.h"

namespace lockstep::fakezk {

// One client's connection to the server, or its place if it has none. Two separate queues: requests
// that the server has not applied yet, and messages that the client has not received yet. A message
// is lost only together with its connection.
struct Link {
  Endpoint* endpoint = nullptr;
  bool open = false;  // The server's view; the client learns of the end from its inbox.
  Mailbox<ClientMessage> requests;
  Mailbox<ServerMessage> inbox;
  // By hand: a request of this kind stays in flight while it is at the head.
  std::optional<OpCode> held_request;
  bool inbox_flows = true;  // By hand: if false, the inbox stays in flight.
  // By hand: the replica to which its connections go.
  std::optional<std::uint32_t> goes_to;

  [[nodiscard]] bool held() const { return !inbox_flows || held_request; }
  [[nodiscard]] bool idle() const { return requests.empty() && inbox.empty(); }
  // Requests over a connection that the server has closed are never applied.
  [[nodiscard]] bool can_apply() const {
    return !requests.empty() && open && !(held_request && holds(requests.front()));
  }
  [[nodiscard]] bool can_deliver() const { return !inbox.empty() && inbox_flows; }

 private:
  friend class Network;
  [[nodiscard]] bool holds(const ClientMessage& message) const {
    return message.kind == ClientMessage::Kind::kRequest && message.request.op == *held_request;
  }

  ReadyLinks::Place place_{0};  // of its bits, which tell the possible events
};

// All connections of the world.
class Network {
 public:
  void reset();
  // The state of all links when no message is in flight, to be restored later; clients are detached
  // then.
  struct Ends {
    bool open;
    std::optional<std::uint32_t> goes_to;
  };
  using Checkpoint = std::vector<Ends>;
  [[nodiscard]] Checkpoint checkpoint() const;
  void reset_to(const Checkpoint& checkpoint);
  // A new place for a client's connections; it lasts until the reset.
  LinkIndex add(Endpoint& endpoint);
  // Attaches a client to a link again.
  void attach(LinkIndex index, Endpoint& endpoint) { links_[index].endpoint = &endpoint; }
  void detach_all();
  // The client opens a connection; its handshake is the first request.
  void connect(LinkIndex index, const Handshake& handshake);
  // Ends the connection: requests not yet applied and items not yet received are lost, except for
  // the first `received` items of the inbox; the client sees the end as `error`.
  void disconnect(LinkIndex index, std::size_t received, Error error);
  // The client is destroyed; messages to it are dropped.
  void abandon(LinkIndex index);

  // Sends the next request to the server.
  template <class... Contents>
  void send(LinkIndex index, Contents&&... contents) {
    if (recorder_) record_sent(index);
    Link& link = links_[index];
    link.requests.emplace(std::forward<Contents>(contents)...);
    if (link.can_apply()) ready_.set(link.place_, ReadyLinks::Way::kApply);
  }
  // Adds an item to the client's inbox.
  template <class... Contents>
  ServerMessage& answer(LinkIndex index, Contents... contents) {
    if (recorder_) record_answered(index);
    Link& link = links_[index];
    ServerMessage& item = link.inbox.emplace(contents...);
    if (link.can_deliver()) ready_.set(link.place_, ReadyLinks::Way::kDeliver);
    return item;
  }
  // Takes the oldest request to the server.
  [[nodiscard]] std::unique_ptr<ClientMessage> take_request(LinkIndex index) {
    if (recorder_) record_request_taken(index);
    Link& link = links_[index];
    std::unique_ptr<ClientMessage> request = link.requests.take();
    if (!link.can_apply()) ready_.clear(link.place_, ReadyLinks::Way::kApply);
    return request;
  }
  // Takes the oldest item of the client's inbox.
  [[nodiscard]] std::unique_ptr<ServerMessage> take_item(LinkIndex index) {
    if (recorder_) record_item_taken(index);
    Link& link = links_[index];
    std::unique_ptr<ServerMessage> item = link.inbox.take();
    if (!link.can_deliver()) ready_.clear(link.place_, ReadyLinks::Way::kDeliver);
    return item;
  }
  // The server closes the connection; messages it has sent still arrive.
  void shut(LinkIndex index);

  // Sets the recorder of accesses; null: none.
  void record_into(FootprintRecorder* recorder) { recorder_ = recorder; }

  [[nodiscard]] LinkIndex size() const { return size_; }
  // A link in its current state; the reference is valid until the next one is added.
  [[nodiscard]] const Link& at(LinkIndex index) const { return links_[index]; }
  [[nodiscard]] const Link& operator[](LinkIndex index) const { return links_[index]; }
  // A link to be changed by hand; ready() then recomputes the possible events.
  [[nodiscard]] Link& operator[](LinkIndex index) {
    changed_ = true;
    return links_[index];
  }
  // The possible events of the links.
  [[nodiscard]] const ReadyLinks& ready() {
    if (changed_) [[unlikely]]
      find_ready();
    return ready_;
  }

 private:
  void record_sent(LinkIndex index);
  void record_answered(LinkIndex index);
  void record_request_taken(LinkIndex index);
  void record_item_taken(LinkIndex index);
  void find_ready();
  void find_ready(const Link& link);

  std::vector<Link> links_;  // Reused after a reset: the first size_ are valid.
  LinkIndex size_ = 0;
  ReadyLinks ready_;
  bool changed_ = false;  // Changed by hand since the last ready().
  FootprintRecorder* recorder_ = nullptr;
};

}  // namespace lockstep::fakezk
