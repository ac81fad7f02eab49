#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/fakezk/network.h"
#include "lockstep/fakezk/path_table.h"
#include "lockstep/fakezk/server.h"
#include "lockstep/internal/timer_queue.h"
#include "lockstep/request.h"
#include "lockstep/watch.h"

namespace lockstep::unit {

using fakezk::LinkIndex;
using fakezk::ServerMessage;

// A server without a world: a test writes its requests and reads its inboxes.
class ServerByHand final : private fakezk::Unspecified {
 public:
  explicit ServerByHand(fakezk::ServerOptions options = {})
      : timers(options.replicas),
        paths(std::make_shared<fakezk::PathTable>()),
        server(network, timers, *this, paths, options) {}

  // A new link with its own session.
  LinkIndex open(Duration timeout = std::chrono::seconds(10)) {
    const LinkIndex link = network.add(nobody_);
    fakezk::Handshake handshake;
    handshake.timeout = timeout;
    greet(link, handshake);
    return link;
  }
  // Returns the server's answer to a handshake.
  ServerMessage greet(LinkIndex link, const fakezk::Handshake& handshake) {
    network.connect(link, handshake);
    server.apply(link, now);
    ServerMessage answer = std::move(*network[link].inbox.take());
    accepted_.resize(network.size());
    if (answer.kind == ServerMessage::Kind::kSessionAccepted) {
      accepted_[link].session_id = answer.welcome->session_id;
      accepted_[link].password = answer.welcome->password;
      accepted_[link].timeout = answer.welcome->timeout;
    }
    return answer;
  }
  // The handshake of a client that reconnects on that link.
  [[nodiscard]] const fakezk::Handshake& handshake(LinkIndex link) const { return accepted_[link]; }
  [[nodiscard]] SessionId session(LinkIndex link) const { return accepted_[link].session_id; }

  // Puts a request in flight.
  void send(LinkIndex link, Request request) {
    const fakezk::PathId path = paths->intern(request.path.text());
    network.send(link, std::move(request), path);
  }
  // Applies a request; events(link) then returns the events that came before its reply.
  Reply ask(LinkIndex link, Request request) {
    send(link, std::move(request));
    server.apply(link, now);
    Reply reply;
    while (!network[link].inbox.empty()) {
      ServerMessage message = std::move(*network[link].inbox.take());
      if (message.kind == ServerMessage::Kind::kReply) {
        reply = std::move(message.reply);
        reply_zxid = message.zxid;
      } else {
        keep(link, message);
      }
    }
    return reply;
  }
  Reply create(LinkIndex link, Path path, CreateMode mode = CreateMode::kPersistent,
               Data data = Data()) {
    Request request(OpCode::kCreate, std::move(path));
    request.mode = mode;
    request.data = std::move(data);
    return ask(link, std::move(request));
  }
  Reply remove(LinkIndex link, Path path, std::int32_t version = -1) {
    Request request(OpCode::kRemove, std::move(path));
    request.version = version;
    return ask(link, std::move(request));
  }
  Reply set_data(LinkIndex link, Path path, Data data, std::int32_t version = -1) {
    Request request(OpCode::kSetData, std::move(path));
    request.version = version;
    request.data = std::move(data);
    return ask(link, std::move(request));
  }
  Reply read(LinkIndex link, OpCode op, Path path) {
    return ask(link, Request(op, std::move(path)));
  }
  // The same, and sets a watch.
  Reply watch(LinkIndex link, OpCode op, Path path) {
    Request request(op, std::move(path));
    request.watched = true;
    return ask(link, std::move(request));
  }
  Stat stat(LinkIndex link, Path path) {
    return read(link, OpCode::kExists, std::move(path)).stat();
  }

  // The watch events of a link that came since the last call, as "deleted /a".
  std::vector<std::string> events(LinkIndex link) {
    while (!network[link].inbox.empty()) keep(link, *network[link].inbox.take());
    events_.resize(network.size());
    return std::exchange(events_[link], {});
  }
  // Ends the connection on the server's side.
  void cut(LinkIndex link) {
    server.connection_ended(link, now);
    network.disconnect(link, 0, Error::kConnectionLoss);
  }
  // Advances the clock; the end of sessions whose time is up is decided, but they are not closed.
  void pass(Duration duration) {
    now += duration;
    timers.each([this](internal::TimerQueue& queue, fakezk::TimerKind, std::uint32_t) {
      while (!queue.empty() && queue.earliest().due <= now) queue.pop().run();
    });
  }

  fakezk::Network network;
  fakezk::ServerTimers timers;
  std::shared_ptr<fakezk::PathTable> paths;
  fakezk::Server server;
  TimePoint now{};
  Zxid reply_zxid = 0;
  // The next choices where ZooKeeper leaves an order open; 0 after that.
  std::vector<std::uint32_t> unspecified;

 private:
  class Nobody final : public fakezk::Endpoint {
   public:
    void receive(ServerMessage&) override {}
    [[nodiscard]] SessionId session_id() const override { return 0; }
  };

  std::uint32_t number(std::uint32_t options) override {
    if (unspecified.empty()) return 0;
    const std::uint32_t next = unspecified.front() % options;
    unspecified.erase(unspecified.begin());
    return next;
  }
  void keep(LinkIndex link, const ServerMessage& message) {
    if (message.kind != ServerMessage::Kind::kWatchEvent) return;
    events_.resize(network.size());
    events_[link].push_back(std::string(name(message.event)) + ' ' + message.reply.path.string());
  }

  Nobody nobody_;
  std::vector<fakezk::Handshake> accepted_;
  std::vector<std::vector<std::string>> events_;
};
using Events = std::vector<std::string>;

// The error of a reply, if it has one.
inline std::optional<Error> error_of(const Reply& reply) {
  if (!reply.is_error()) return std::nullopt;
  return reply.error;
}

// A server with two links, each with its own session.
class TwoSessionsTest : public ::testing::Test {
 protected:
  ServerByHand zk_;
  const fakezk::LinkIndex a_ = zk_.open();
  const fakezk::LinkIndex b_ = zk_.open();
};

}  // namespace lockstep::unit
