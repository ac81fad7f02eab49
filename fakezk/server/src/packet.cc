#include "packet.h"

#include "lockstep/packet.h"

namespace lockstep::fakezk {

namespace {

constexpr std::size_t kInt = 4;
constexpr std::size_t kLong = 8;
constexpr std::size_t kHeader = 2 * kInt;  // RequestHeader: xid, type

// The length defined by zookeeper.jute.
std::size_t bytes(const WatchedPaths& watched) {
  std::size_t size = kLong;
  for (const std::vector<Path>* const paths : watched.lists()) {
    // A SetWatches without these has only three lists.
    const bool lasting = paths == &watched.persistent || paths == &watched.recursive;
    if (lasting && watched.persistent.empty() && watched.recursive.empty()) continue;
    size += kInt;
    for (const Path& path : *paths) size += kInt + path.view().size();
  }
  return size;
}

}  // namespace

std::size_t packet_bytes(const ClientMessage& message) {
  switch (message.kind) {
    // A handshake is always short, and the sender of a query has another limit.
    case ClientMessage::Kind::kHandshake:
    case ClientMessage::Kind::kQuery: break;
    case ClientMessage::Kind::kSetWatches: return kHeader + bytes(message.watched());
    case ClientMessage::Kind::kRequest: return lockstep::packet_bytes(message.request);
  }
  return 0;
}

}  // namespace lockstep::fakezk
