#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "lockstep/fakezk/access.h"
#include "lockstep/fakezk/txn.h"

namespace lockstep::fakezk {

// The servers' ends of the links.
class Connections {
 public:
  // The connection of a link, or what is left of its last one.
  struct Connection {
    SessionIndex session = kNoSession;  // The session that it serves.
    ReplicaIndex replica = 0;
    std::uint32_t number = 0;      // Counts the connections of this link, and their ends.
    std::uint32_t unanswered = 0;  // Entries in the log that its replica has not applied.
    bool drops_requests = false;   // Its session is being closed.
    Identities identities;         // Those it has authenticated with.
  };

  void clear() { connections_.clear(); }
  // A client has sent a handshake over this link. Returns the new connection, which serves no
  // session yet and keeps only the replica of the previous one.
  Connection& greeted(LinkIndex link);
  // Ends the connection: requests in flight over it are not answered. Returns its session.
  SessionIndex ended(LinkIndex link);

  // A link has no entry before its first handshake.
  [[nodiscard]] bool has(LinkIndex link) const { return link < connections_.size(); }
  [[nodiscard]] LinkIndex size() const { return static_cast<LinkIndex>(connections_.size()); }
  [[nodiscard]] Connection& operator[](LinkIndex link) { return connections_[link]; }
  [[nodiscard]] const Connection& operator[](LinkIndex link) const { return connections_[link]; }
  [[nodiscard]] SessionIndex session_of(LinkIndex link) const {
    return has(link) ? connections_[link].session : kNoSession;
  }
  [[nodiscard]] std::span<const Identity> identities(LinkIndex link) const {
    if (!has(link)) return {};
    return connections_[link].identities.list();
  }

 private:
  std::vector<Connection> connections_;
};

inline Connections::Connection& Connections::greeted(LinkIndex link) {
  while (!has(link)) connections_.emplace_back();
  Connection& fresh = connections_[link];
  ++fresh.number;
  fresh.session = kNoSession;
  fresh.unanswered = 0;
  fresh.drops_requests = false;
  fresh.identities.clear();
  return fresh;
}

inline SessionIndex Connections::ended(LinkIndex link) {
  Connection& ended = connections_[link];
  ++ended.number;
  ended.unanswered = 0;
  return std::exchange(ended.session, kNoSession);
}

}  // namespace lockstep::fakezk
