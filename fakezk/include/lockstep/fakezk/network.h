#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "lockstep/fakezk/footprint.h"
#include "lockstep/fakezk/mailbox.h"
#include "lockstep/fakezk/message.h"
#include "lockstep/fakezk/watch_table.h"

namespace lockstep::fakezk {

// One client's connection to the server, or the place where it had one. Two separate queues:
// what the client has sent and the server has not yet applied, and what the server has sent and
// the client has not yet received. A message is lost only together with its connection.
struct Link {
  Endpoint* endpoint = nullptr;
  bool open = false;  // As the server sees it; the client learns of the end from its inbox.
  Mailbox<ClientMessage> requests;
  Mailbox<ServerMessage> inbox;
  // By hand: a request of this kind stays in flight while it is at the head.
  std::optional<OpCode> held_request;
  bool inbox_flows = true;  // By hand: or what is in the inbox stays in flight.
  // By hand: the replica that its connections go to.
  std::optional<std::uint32_t> goes_to;

  [[nodiscard]] bool held() const { return !inbox_flows || held_request; }
  [[nodiscard]] bool idle() const { return requests.empty() && inbox.empty(); }
  // What is sent over a connection that the server has ended goes nowhere. No branch, nor is the
  // other one: nobody can foretell where something is under way.
  [[nodiscard]] bool can_apply() const {
    const bool ready = !requests.empty() & open;
    if (held_request) [[unlikely]] {
      return ready && !holds(requests.front());
    }
    return ready;
  }
  [[nodiscard]] bool can_deliver() const { return !inbox.empty() & inbox_flows; }

 private:
  [[nodiscard]] bool holds(const ClientMessage& message) const {
    return message.kind == ClientMessage::Kind::kRequest && message.request.op == *held_request;
  }
};

// All connections of the world.
class Network {
 public:
  void reset();
  // What becomes of the links when nothing is under way, to come back to; nobody stands at their
  // ends then.
  struct Ends {
    bool open;
    std::optional<std::uint32_t> goes_to;
  };
  using Checkpoint = std::vector<Ends>;
  [[nodiscard]] Checkpoint checkpoint() const;
  void reset_to(const Checkpoint& checkpoint);
  // A new place for a client's connections; it stays until the reset.
  LinkIndex add(Endpoint& endpoint);
  // A client stands at the end of a link again.
  void attach(LinkIndex index, Endpoint& endpoint) { links_[index]->endpoint = &endpoint; }
  void detach_all();
  // The client opens a connection; its handshake is the first request.
  void connect(LinkIndex index, const Handshake& handshake);
  // The connection is gone: what was not applied and what was not received is lost, except for
  // `received` items of the inbox; the client will notice as `error`.
  void disconnect(LinkIndex index, std::size_t received, Error error);
  // The client has gone away; nothing reaches it any more.
  void abandon(LinkIndex index);

  // The next request to the server, or item of the client's inbox; and the oldest one.
  template <class... Contents>
  void send(LinkIndex index, Contents&&... contents) {
    if (recorder_) record_sent(index);
    links_[index]->requests.emplace(std::forward<Contents>(contents)...);
  }
  ServerMessage& answer(LinkIndex index, ServerMessage::Kind kind) {
    if (recorder_) record_answered(index);
    return links_[index]->inbox.emplace(kind);
  }
  [[nodiscard]] std::unique_ptr<ClientMessage> take_request(LinkIndex index) {
    if (recorder_) record_request_taken(index);
    return links_[index]->requests.take();
  }
  [[nodiscard]] std::unique_ptr<ServerMessage> take_item(LinkIndex index) {
    if (recorder_) record_item_taken(index);
    return links_[index]->inbox.take();
  }
  // The server ends the connection; what it has sent still arrives.
  void shut(LinkIndex index);

  // Who listens to what is touched; null: nobody.
  void record_into(FootprintRecorder* recorder) { recorder_ = recorder; }

  [[nodiscard]] LinkIndex size() const { return size_; }
  [[nodiscard]] Link& operator[](LinkIndex index) { return *links_[index]; }
  [[nodiscard]] const Link& operator[](LinkIndex index) const { return *links_[index]; }

 private:
  void record_sent(LinkIndex index);
  void record_answered(LinkIndex index);
  void record_request_taken(LinkIndex index);
  void record_item_taken(LinkIndex index);

  std::vector<std::unique_ptr<Link>> links_;  // Used again after a reset, with their memory.
  LinkIndex size_ = 0;
  FootprintRecorder* recorder_ = nullptr;
};

}  // namespace lockstep::fakezk
