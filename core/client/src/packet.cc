#include "lockstep/packet.h"

#include <string_view>

namespace lockstep {

namespace {

constexpr std::size_t kInt = 4;
constexpr std::size_t kLong = 8;
constexpr std::size_t kHeader = 2 * kInt;           // RequestHeader: xid, type
constexpr std::size_t kMultiHeader = 2 * kInt + 1;  // type, done, err

std::size_t bytes(std::string_view text) { return kInt + text.size(); }

std::size_t bytes(const Acl& acl) {
  std::size_t size = kInt;
  for (const AclEntry& entry : acl.entries()) size += kInt + bytes(entry.scheme) + bytes(entry.id);
  return size;
}

// The record after the header, as zookeeper.jute defines it.
std::size_t bytes(const Request& request) {
  const std::size_t path = bytes(request.path.view());
  switch (request.op) {
    case OpCode::kCreate:
      return path + bytes(request.data.view()) + bytes(request.acl()) + kInt +
             (has_ttl(request.mode) ? kLong : 0);
    case OpCode::kSetData: return path + bytes(request.data.view()) + kInt;
    case OpCode::kSetAcl: return path + bytes(request.acl()) + kInt;
    case OpCode::kRemove:
    case OpCode::kCheckWatches:
    case OpCode::kRemoveWatches:
    case OpCode::kCheck: return path + kInt;
    case OpCode::kExists:
    case OpCode::kGetData:
    case OpCode::kGetChildren: return path + 1;
    case OpCode::kGetAcl:
    case OpCode::kSync: return path;
    case OpCode::kAddAuth:
      return kInt + bytes(request.scheme().view()) + bytes(request.data.view());
    case OpCode::kMulti: {
      std::size_t size = kMultiHeader;
      for (const Request& op : request.ops()) size += kMultiHeader + bytes(op);
      return size;
    }
    case OpCode::kClose: break;
  }
  return 0;
}

}  // namespace

std::size_t packet_bytes(const Request& request) { return kHeader + bytes(request); }

}  // namespace lockstep
