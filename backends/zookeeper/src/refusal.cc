#include "refusal.h"

#include <string_view>

#include "acl_vector.h"
#include "client_path.h"
#include "lockstep/packet.h"

namespace lockstep::zookeeper {

namespace {

// Checked like zoo_acreate2_ttl does, and like the server does for a create without a time to live.
bool has_fitting_ttl(const Request& request) {
  constexpr std::int64_t kLongestTtlMs = 0xffffffffff;
  const std::int64_t ttl_ms = request.ttl().count();
  if (!has_ttl(request.mode)) return ttl_ms == 0;
  return ttl_ms > 0 && ttl_ms <= kLongestTtlMs;
}

bool has_nul(const Text& text) { return text.view().find('\0') != std::string_view::npos; }

// Container creates of a multi abort the process when their reply arrives. The C client knows no
// other creates whose reply holds more than a path, and no operations besides those below.
bool fits_in_multi(const Request& op) {
  switch (op.op) {
    case OpCode::kCreate: return op.mode != CreateMode::kContainer && !has_ttl(op.mode);
    case OpCode::kRemove:
    case OpCode::kSetData:
    case OpCode::kCheck: return true;
    default: return false;
  }
}

std::optional<Error> why_not_in_multi(const Request& op) {
  const CreateMode mode = op.op == OpCode::kCreate ? op.mode : CreateMode::kPersistent;
  if (!client_takes(op.path, mode)) return Error::kBadArguments;
  if (!fits_in_multi(op)) return Error::kUnimplemented;
  if (op.op != OpCode::kCreate) return std::nullopt;
  if (op.ttl().count() != 0) return Error::kBadArguments;
  if (!client_takes(op.acl())) return Error::kInvalidAcl;
  return std::nullopt;
}

std::optional<Refusal> refusal_of_multi(const std::vector<Request>& ops) {
  std::int32_t index = 0;
  for (const Request& op : ops) {
    if (const std::optional<Error> why = why_not_in_multi(op)) return Refusal(*why, index);
    ++index;
  }
  return std::nullopt;
}

std::optional<Refusal> refusal_of_content(const Request& request) {
  if (request.op == OpCode::kMulti) return refusal_of_multi(request.ops());
  if (!client_takes(request.path, request.mode) || has_nul(request.scheme())) {
    return Refusal(Error::kBadArguments);
  }
  if (!client_takes(request.acl())) return Refusal(Error::kInvalidAcl);
  if (!has_fitting_ttl(request)) return Refusal(Error::kBadArguments);
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> refusal_of(const Request& request, std::size_t packet_limit) {
  if (const std::optional<Refusal> refusal = refusal_of_content(request)) return refusal;
  if (exceeds(request, packet_limit)) return Refusal(Error::kPacketTooLarge);
  return std::nullopt;
}

}  // namespace lockstep::zookeeper
