#include "differential/request_of.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace lockstep::differential {

Request request_of(const Op& op, const Path& origin) {
  Request request(op.op, op.absolute ? Path(op.path) : Path(origin.string() + op.path));
  request.mode = op.mode;
  request.version = op.version;
  request.watch_type = op.watch_type;
  if (op.data) request.data = Data(std::string_view(*op.data));
  request.set_details(RequestDetails(op.acl, std::chrono::milliseconds(op.ttl_ms)));
  if (op.op == OpCode::kAddAuth) {
    request.path = Path();
    request.set_details(RequestDetails(Text(op.scheme)));
  }
  if (op.op == OpCode::kMulti) {
    request.path = Path();
    std::vector<Request> parts;
    parts.reserve(op.ops.size());
    for (const Op& part : op.ops) parts.push_back(request_of(part, origin));
    request.set_details(RequestDetails(std::move(parts)));
  }
  return request;
}

bool may_follow(std::span<const Op> sent, const Op& next) {
  const auto has = [sent](OpCode code) {
    return std::ranges::any_of(sent, [code](const Op& op) { return op.op == code; });
  };
  if (has(OpCode::kAddAuth)) {
    if (next.op == OpCode::kAddAuth) return false;  // Exclusion::kAuthAmongOthers
    if (may_be_refused(next)) return false;         // Exclusion::kHeldBack
  }
  return !has(OpCode::kSetAcl);  // Exclusion::kRequestAfterSetAcl
}

bool may_be_left(const Op& op) {
  return op.op != OpCode::kAddAuth     // Exclusion::kAuthAmongOthers
         && op.op != OpCode::kSetAcl;  // Exclusion::kRequestAfterSetAcl
}

bool may_be_refused(const Op& op) {
  if (std::ranges::any_of(op.ops, &may_be_refused)) return true;
  const bool odd_bytes = std::ranges::any_of(op.path, [](char c) { return c >= 0 && c < ' '; });
  return op.absolute || odd_bytes || op.path.ends_with('/') || op.path.contains("//") ||
         op.path.contains("/.") || has_ttl(op.mode) || op.op == OpCode::kMulti ||
         op.op == OpCode::kAddAuth;
}

}  // namespace lockstep::differential
