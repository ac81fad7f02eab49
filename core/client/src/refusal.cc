#include "lockstep/internal/refusal.h"

#include <algorithm>
#include <cstdint>

#include "lockstep/packet.h"

namespace lockstep::internal {

namespace {

// The C client compares signed chars, so bytes above 0x7f pass; 0x1f passes, too.
bool is_refused(char byte) { return byte >= 0x00 && byte < 0x1f; }

bool is_dots(std::string_view name) { return name == "." || name == ".."; }

bool has_nul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

// The C client would truncate an entry at a NUL and thereby request another ACL.
bool survives(const Acl& acl) {
  return acl.is_open() || std::ranges::none_of(acl.entries(), [](const AclEntry& entry) {
           return has_nul(entry.scheme) || has_nul(entry.id);
         });
}

// The checks of zoo_acreate2_ttl, and the server's for a create without a time to live.
bool has_fitting_ttl(const Request& request) {
  constexpr std::int64_t kLongestTtlMs = 0xffffffffff;
  const std::int64_t ttl_ms = request.ttl().count();
  if (!has_ttl(request.mode)) return ttl_ms == 0;
  return ttl_ms > 0 && ttl_ms <= kLongestTtlMs;
}

// The C client aborts the process on the reply to a container create in a multi, and supports
// neither creates with a TTL nor other operations there.
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
  if (!client_takes(op.path.view(), mode)) return Error::kBadArguments;
  if (!fits_in_multi(op)) return Error::kUnimplemented;
  if (op.op != OpCode::kCreate) return std::nullopt;
  if (op.ttl().count() != 0) return Error::kBadArguments;
  if (!survives(op.acl())) return Error::kInvalidAcl;
  return std::nullopt;
}

std::optional<MultiError> refusal_of_multi(const std::vector<Request>& ops) {
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (const std::optional<Error> why = why_not_in_multi(ops[i])) return MultiError(*why, i);
  }
  return std::nullopt;
}

std::optional<MultiError> refusal_of_content(const Request& request) {
  if (request.op == OpCode::kMulti) return refusal_of_multi(request.ops());
  if (!client_takes(request.path.view(), request.mode) || has_nul(request.scheme().view())) {
    return MultiError(Error::kBadArguments);
  }
  if (!survives(request.acl())) return MultiError(Error::kInvalidAcl);
  if (!has_fitting_ttl(request)) return MultiError(Error::kBadArguments);
  return std::nullopt;
}

}  // namespace

// The server appends a number to the name of a sequential znode, so its last component may be
// anything.
bool client_takes(std::string_view path, CreateMode mode) {
  if (path.empty() || path.front() != '/') return false;
  if (std::ranges::any_of(path, is_refused)) return false;
  std::string_view rest = path.substr(1);
  if (rest.empty()) return true;
  for (std::size_t slash = rest.find('/'); slash != std::string_view::npos;
       slash = rest.find('/')) {
    const std::string_view name = rest.substr(0, slash);
    if (name.empty() || is_dots(name)) return false;
    rest.remove_prefix(slash + 1);
  }
  return is_sequential(mode) || (!rest.empty() && !is_dots(rest));
}

std::optional<MultiError> refusal_of(const Request& request, std::size_t packet_limit) {
  if (const std::optional<MultiError> refusal = refusal_of_content(request)) return refusal;
  if (exceeds(request, packet_limit)) return MultiError(Error::kPacketTooLarge);
  return std::nullopt;
}

}  // namespace lockstep::internal
