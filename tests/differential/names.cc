#include "differential/names.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "differential/program_text.h"

namespace lockstep::differential {

namespace {

std::string data_text(const Data& data) { return data.is_null() ? "null" : in_quotes(data.view()); }

// Exclusion::kChildOrder
std::string children_text(const Children& children) {
  std::vector<std::string_view> names(children.begin(), children.end());
  std::ranges::sort(names);
  std::string text = "{";
  for (const std::string_view name : names) text += " " + in_quotes(name);
  return text + " }";
}

// Exclusion::kExpandedAuth
std::string acl_text(const Acl& acl) {
  std::vector<AclEntry> entries(acl.entries().begin(), acl.entries().end());
  for (auto first = entries.begin(); first != entries.end();) {
    const auto last = std::find_if(first, entries.end(), [first](const AclEntry& entry) {
      return entry.scheme != "digest" || entry.permissions != first->permissions;
    });
    std::sort(first, last, [](const AclEntry& a, const AclEntry& b) { return a.id < b.id; });
    first = last == first ? first + 1 : last;
  }
  return "acl " + format(Acl(std::move(entries)));
}

}  // namespace

void Names::set_origin(Path parent, Path own, Zxid created) {
  parent_ = std::move(parent);
  own_ = std::move(own);
  first_zxid_ = created;
}

std::string Names::path(const Path& path) const {
  const std::string_view text = path.view();
  if (text.starts_with(own_.view())) return in_quotes(text.substr(own_.view().size()));
  if (text.starts_with(parent_.view())) return ".." + in_quotes(text.substr(parent_.view().size()));
  return "@" + in_quotes(text);
}

// Exclusion::kZxidOrigin
std::string Names::zxid(Zxid zxid) const { return std::to_string(zxid - first_zxid_); }

// Exclusion::kSessionIds
std::string Names::session(SessionId id) const {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? "an unknown session" : found->second;
}

// Exclusion::kClock
bool Names::is_time_of(Zxid zxid, std::int64_t time_ms) {
  return times_.try_emplace(zxid, time_ms).first->second == time_ms;
}

std::string Names::stat(const Stat& stat) {
  std::string text = "czxid " + zxid(stat.czxid) + ", mzxid " + zxid(stat.mzxid) + ", pzxid " +
                     zxid(stat.pzxid) + ", version " + std::to_string(stat.version) +
                     ", cversion " + std::to_string(stat.cversion) + ", aversion " +
                     std::to_string(stat.aversion);
  if (stat.ephemeral_owner != 0) text += ", owner " + session(stat.ephemeral_owner);
  text += ", data length " + std::to_string(stat.data_length);
  text += ", children " + std::to_string(stat.num_children);
  if (!is_time_of(stat.czxid, stat.ctime_ms)) text += ", CTIME IS NOT THE TIME OF CZXID";
  if (!is_time_of(stat.mzxid, stat.mtime_ms)) text += ", MTIME IS NOT THE TIME OF MZXID";
  return text;
}

std::string Names::results(const Reply& reply) {
  std::string text;
  for (const OpResult& result : reply.details().results) {
    if (!text.empty()) text += "; ";
    text += name(result.op);
    if (result.op == OpCode::kCreate) text += " " + path(result.path);
    if (result.op == OpCode::kSetData) text += " (" + stat(result.stat) + ")";
  }
  return "{ " + text + " }";
}

std::string Names::reply(OpCode op, const Reply& reply) {
  if (reply.is_error()) {
    std::string text(lockstep::name(reply.error));
    if (op == OpCode::kMulti) text += " at " + std::to_string(reply.failed_op());
    return text;
  }
  switch (op) {
    case OpCode::kCreate: return path(reply.path) + " (" + stat(reply.stat()) + ")";
    case OpCode::kExists:
    case OpCode::kSetData: return "(" + stat(reply.stat()) + ")";
    case OpCode::kGetData: return data_text(reply.data) + " (" + stat(reply.stat()) + ")";
    case OpCode::kGetChildren:
      return children_text(reply.children) + " (" + stat(reply.children.parent()) + ")";
    case OpCode::kGetAcl: return acl_text(reply.details().acl) + " (" + stat(reply.stat()) + ")";
    case OpCode::kMulti: return results(reply);
    default: return "ok";
  }
}

}  // namespace lockstep::differential
