#include "client_path.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "lockstep/internal/bytes.h"

namespace lockstep::fake {

namespace {

// What needs a closer look: a control character, and a slash whose component is empty or begins
// with a dot.
constexpr bool is_control(char byte) { return static_cast<unsigned char>(byte) < 0x1f; }
constexpr bool is_odd(char byte, char next) { return byte == '/' && (next == '/' || next == '.'); }

// The same for eight bytes at a time, by the usual borrow trick. `next` are those behind them; a
// slash and a dot differ in one bit. Bytes from 0x80 on pass, as they do in the C client, where
// char is signed.
constexpr bool is_odd(std::uint64_t word, std::uint64_t next) {
  constexpr std::uint64_t kSlashes = internal::eight_times('/');
  const std::uint64_t control = (word - internal::eight_times(0x1f)) & ~word;
  const std::uint64_t other = (word ^ kSlashes) | ((next | internal::eight_times(1)) ^ kSlashes);
  const std::uint64_t slashes = (other - internal::eight_times(1)) & ~other;
  return ((control | slashes) & internal::eight_times(0x80)) != 0;
}

bool is_odd_at(const char* at) {
  return is_odd(internal::eight_bytes(at), internal::eight_bytes(at + 1));
}

// No byte needs a closer look, nor does the end.
bool is_usual(std::string_view path) {
  if (is_control(path.back()) || path.back() == '/') return false;
  const char* at = path.data();
  const char* const last = at + path.size() - 1;
  if (path.size() <= 8) {
    for (; at != last; ++at) {
      if (is_control(*at) || is_odd(*at, at[1])) return false;
    }
    return true;
  }
  for (; at < last - 8; at += 8) {
    if (is_odd_at(at)) return false;
  }
  return !is_odd_at(last - 8);
}

bool component_accepted(std::string_view component) {
  return !component.empty() && component != "." && component != "..";
}

}  // namespace

bool client_accepts(std::string_view path, bool sequential) {
  if (path.empty() || path.front() != '/') return false;
  if (is_usual(path)) return true;
  if (std::ranges::any_of(path, &is_control)) return false;
  if (path.size() == 1) return true;
  for (std::size_t start = 1;;) {
    const std::size_t slash = path.find('/', start);
    if (slash == std::string_view::npos) {
      return sequential || component_accepted(path.substr(start));
    }
    if (!component_accepted(path.substr(start, slash - start))) return false;
    start = slash + 1;
  }
}

namespace {

// Checked before the path (zookeeper.c, zoo_acreate2_ttl).
bool ttl_accepted(const Request& request) {
  constexpr std::int64_t kLongestTtlMs = 0xffffffffff;
  const std::int64_t ttl_ms = request.ttl().count();
  if (!has_ttl(request.mode)) return ttl_ms == 0;
  return ttl_ms > 0 && ttl_ms <= kLongestTtlMs;
}

bool has_nul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

// The C client would cut them there.
bool acl_accepted(const Acl& acl) {
  return acl.is_open() || std::ranges::none_of(acl.entries(), [](const AclEntry& entry) {
           return has_nul(entry.scheme) || has_nul(entry.id);
         });
}

std::optional<Error> why_not_in_multi(const Request& op) {
  const bool creates = op.op == OpCode::kCreate;
  if (!client_accepts(op.path.view(), creates && is_sequential(op.mode))) {
    return Error::kBadArguments;
  }
  const bool known =
      creates || op.op == OpCode::kRemove || op.op == OpCode::kSetData || op.op == OpCode::kCheck;
  if (!known) return Error::kUnimplemented;
  if (!creates) return std::nullopt;
  if (op.mode == CreateMode::kContainer || has_ttl(op.mode)) return Error::kUnimplemented;
  if (op.ttl().count() != 0) return Error::kBadArguments;
  if (!acl_accepted(op.acl())) return Error::kInvalidAcl;
  return std::nullopt;
}

// The C client would answer a container wrongly and crash on a malformed path: both backends refuse
// them.
std::optional<MultiError> multi_refusal(const std::vector<Request>& ops) {
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (const std::optional<Error> why = why_not_in_multi(ops[i])) return MultiError(*why, i);
  }
  return std::nullopt;
}

}  // namespace

std::optional<MultiError> client_refusal(const Request& request) {
  if (request.op == OpCode::kMulti) return multi_refusal(request.ops());
  const bool text_accepted = client_accepts(request.path.view(), is_sequential(request.mode)) &&
                             !has_nul(request.scheme().view());
  if (!text_accepted) return MultiError(Error::kBadArguments);
  if (!acl_accepted(request.acl())) return MultiError(Error::kInvalidAcl);
  if (request.op == OpCode::kCreate && !ttl_accepted(request)) {
    return MultiError(Error::kBadArguments);
  }
  return std::nullopt;
}

}  // namespace lockstep::fake
