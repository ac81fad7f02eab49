#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "lockstep/fakezk/access.h"
#include "lockstep/fakezk/footprint.h"
#include "lockstep/fakezk/mailbox.h"
#include "lockstep/fakezk/message.h"
#include "lockstep/fakezk/txn.h"

namespace lockstep::fakezk {

// Requests of connections that have ended: the servers have read them and take them up later,
// although no client waits for them. They come before any request that the same session sends later
// over the same server. A server queues what it reads (ZooKeeperServer.enqueueRequest,
// FollowerRequestProcessor), so that of several connections of one session the oldest comes first.
class Strays {
 public:
  // The requests that one connection left.
  struct Left {
    SessionIndex session;
    ReplicaIndex replica;
    Identities identities;
    Mailbox<ClientMessage> requests;
  };
  // One of these requests, and the session that it is executed for.
  struct Stray {
    SessionIndex session;
    Identities identities;
    std::unique_ptr<const ClientMessage> message;
  };

  void clear() { left_.clear(); }
  void record_into(FootprintRecorder* recorder) { recorder_ = recorder; }

  [[nodiscard]] bool empty() const { return left_.empty(); }
  // Connections that have left requests, oldest first.
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(left_.size()); }
  [[nodiscard]] const Left& at(std::uint32_t index) const { return left_[index]; }
  // Whether it is the oldest one of its session.
  [[nodiscard]] bool is_first(std::uint32_t index) const;

  // Keeps the first `count` messages of `sent`, as far as they are writes, with the identities
  // shown before each: only these have an effect without a waiting client.
  void keep(Left left, Mailbox<ClientMessage>& sent, std::uint32_t count);
  // Takes the oldest request of a connection.
  [[nodiscard]] Stray take(std::uint32_t index);
  // The session continues on another server.
  void drop(SessionIndex session, ReplicaIndex unless_on);
  // The server forgets what it has read.
  void drop(ReplicaIndex on);

 private:
  std::vector<Left> left_;
  FootprintRecorder* recorder_ = nullptr;
};

}  // namespace lockstep::fakezk
