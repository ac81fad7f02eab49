#include "support/guarantee_checker.h"

#include <algorithm>

namespace lockstep::support {

using fakezk::Change;
using fakezk::Event;
using fakezk::ServerMessage;
using fakezk::Step;

namespace {

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string describe(const ServerMessage& message) {
  return std::string(name(message.op)) + " at zxid " + std::to_string(message.zxid);
}

}  // namespace

void GuaranteeChecker::step(const Step& step) {
  check_history();
  if (step.event.kind == Event::Kind::kApply) taken_up(step);
  if (step.event.kind == Event::Kind::kDeliver) received(step);
  if (step.event.kind == Event::Kind::kFault && step.event.fault == fakezk::FaultKind::kCut) {
    taken_up_by_cut(step);
  }
}

void GuaranteeChecker::taken_up(const Step& step) {
  const fakezk::Applied& applied = *step.applied;
  if (!applied.is_request || applied.op == OpCode::kAddAuth) return;
  clients_[step.event.index].asked.push_back(
      {applied.op, text(applied.path), applied.watches, world_.server().last_zxid()});
}

void GuaranteeChecker::taken_up_by_cut(const Step& step) {
  const fakezk::Link& link = world_.network()[step.event.index];
  for (std::size_t i = 0; i + step.lost_requests < link.requests.size(); ++i) {
    const fakezk::ClientMessage& message = link.requests[i];
    if (message.kind != fakezk::ClientMessage::Kind::kRequest) continue;
    const Request& request = message.request;
    if (request.op == OpCode::kAddAuth) continue;
    clients_[step.event.index].asked.push_back(
        {request.op, request.path.string(), request.watched, world_.server().last_zxid()});
  }
}

void GuaranteeChecker::received(const Step& step) {
  Client& client = clients_[step.event.index];
  const ServerMessage& message = *step.received;
  switch (message.kind) {
    case ServerMessage::Kind::kReply: return answered(client, message);
    case ServerMessage::Kind::kWatchEvent: return check_event(client, message);
    case ServerMessage::Kind::kWatchesSet: return check_rearmed(client, message.zxid);
    case ServerMessage::Kind::kQueried: return;  // Sessions do not ask for it.
    case ServerMessage::Kind::kSessionAccepted: client.rearming = !client.armed.empty(); return;
    case ServerMessage::Kind::kSessionExpired: client = Client(); return;
    case ServerMessage::Kind::kConnectionEnded: client.asked.clear(); return;
  }
}

void GuaranteeChecker::answered(Client& client, const ServerMessage& message) {
  if (message.op == OpCode::kAddAuth) return;
  if (client.asked.empty()) return fail("a reply that nobody asked for: " + describe(message));
  const Asked asked = client.asked.front();
  client.asked.pop_front();
  if (asked.op != message.op) {
    return fail("the reply to " + std::string(name(asked.op)) + " is that of " + describe(message));
  }
  if (message.zxid < client.seen) {
    fail(describe(message) + ", after " + std::to_string(client.seen) + " had been seen");
  }
  client.seen = message.zxid;
  check_owed(client, message.zxid);
  const Reply& reply = message.reply;
  if (reply.is_error() && reply.error == Error::kSessionExpired) return;  // It shows nothing.
  if (message.op == OpCode::kSync) client.fresh = asked.committed;
  if (concerns_watches(message.op)) return check_removal(client, asked, message);
  if (is_read(message.op)) check_read(client, asked, message);
}

// Checks all watches on a znode; if only one is removed, the server keeps its entry.
void GuaranteeChecker::check_removal(Client& client, const Asked& asked,
                                     const ServerMessage& message) {
  if (message.op != OpCode::kRemoveWatches || client.rearming) return;
  const std::size_t removed =
      std::erase_if(client.armed, [&](const Armed& armed) { return armed.path == asked.path; });
  if ((removed > 0) == message.reply.is_error()) {
    fail(describe(message) + " of " + asked.path + " does not know what was watched");
  }
}

void GuaranteeChecker::check_read(Client& client, const Asked& asked,
                                  const ServerMessage& message) {
  ++reads_checked_;
  if (message.zxid < client.fresh) fail(describe(message) + " is older than the sync before it");
  const PastTree tree = tree_at(message.zxid);
  const auto past = tree.find(asked.path);
  const bool found = past != tree.end();
  if (found == message.reply.is_error()) {
    return fail(describe(message) + " of " + asked.path + " does not show what was committed");
  }
  if (asked.watches) arm(client, asked, found, message.zxid);
  if (!found) return;
  const Stat stat =
      message.op == OpCode::kGetChildren ? message.reply.children.parent() : message.reply.stat();
  const PastZnode& znode = past->second;
  const bool same = stat.czxid == znode.czxid && stat.mzxid == znode.mzxid &&
                    stat.pzxid == znode.pzxid &&
                    stat.num_children == static_cast<std::int32_t>(znode.children.size());
  if (!same) fail(describe(message) + " of " + asked.path + " shows another Stat");
  if (message.op != OpCode::kGetChildren) return;
  std::set<std::string> names;
  for (const std::string_view child : message.reply.children) names.emplace(child);
  if (names != znode.children) fail(describe(message) + " of " + asked.path + ": other children");
}

void GuaranteeChecker::arm(Client& client, const Asked& asked, bool found, Zxid zxid) {
  Kind kind = Kind::kData;
  if (asked.op == OpCode::kGetChildren) kind = Kind::kChild;
  if (!found) kind = Kind::kExist;
  if (!found && asked.op != OpCode::kExists) return;
  for (Armed& armed : client.armed) {
    if (armed.kind != kind || armed.path != asked.path) continue;
    armed.since = std::max(armed.since, zxid);
    return;
  }
  client.armed.push_back({kind, asked.path, zxid});
}

bool GuaranteeChecker::fires(const Change& change, const Armed& armed) const {
  const std::string path = text(change.path);
  if (change.kind == Change::Kind::kDataSet) {
    return armed.kind != Kind::kChild && path == armed.path;
  }
  const bool created = change.kind == Change::Kind::kCreated;
  if (!created && change.kind != Change::Kind::kDeleted) return false;
  if (armed.kind == Kind::kChild)
    return parent_of(path) == armed.path || (!created && path == armed.path);
  return path == armed.path;
}

void GuaranteeChecker::check_owed(const Client& client, Zxid zxid) {
  if (client.rearming) return;  // The server does not know these watches yet.
  for (const Change& change : world_.server().history()) {
    if (change.zxid > zxid) break;
    for (const Armed& armed : client.armed) {
      if (change.zxid <= armed.since || !fires(change, armed)) continue;
      fail("a reply at zxid " + std::to_string(zxid) + " came before the event for " + armed.path +
           " of zxid " + std::to_string(change.zxid));
    }
  }
}

void GuaranteeChecker::check_event(Client& client, const ServerMessage& message) {
  ++events_checked_;
  const std::string path = message.reply.path.string();
  const auto concerned = [&](const Armed& armed) {
    if (armed.path != path) return false;
    if (message.event == EventType::kDeleted) return true;
    return (message.event == EventType::kChild) == (armed.kind == Kind::kChild);
  };
  // When watches are set again, the server checks data and children separately: both may be
  // deleted.
  if (std::erase_if(client.armed, concerned) == 0 && !client.rearming) {
    fail("an event nobody waits for: " + std::string(name(message.event)) + ' ' + path);
  }
}

// After a reconnect, all changes since the last reply have been reported, and the other watches are
// armed again.
void GuaranteeChecker::check_rearmed(Client& client, Zxid zxid) {
  client.rearming = false;
  const PastTree tree = tree_at(zxid);
  for (Armed& armed : client.armed) {
    const auto past = tree.find(armed.path);
    const bool found = past != tree.end();
    bool owed = found == (armed.kind == Kind::kExist);
    if (found && armed.kind == Kind::kData) owed = past->second.mzxid > client.seen;
    if (found && armed.kind == Kind::kChild) owed = past->second.pzxid > client.seen;
    if (owed) fail("watches were set again, and nothing was told of " + armed.path);
    armed.since = zxid;
  }
}

// Zxids grow. The server deletes ephemerals on its own only after their session is over, and then
// always.
void GuaranteeChecker::check_history() {
  const fakezk::History& history = world_.server().history();
  for (; history_checked_ < history.size(); ++history_checked_) {
    const Change& change = history[history_checked_];
    if (history_checked_ > 0 && change.zxid < history[history_checked_ - 1].zxid) {
      fail("zxids go backwards");
    }
    const bool by_itself = change.kind == Change::Kind::kDeleted && change.actor == 0;
    if (by_itself && change.owner != 0 && world_.server().session_alive(change.owner)) {
      fail(text(change.path) + " has gone before its session");
    }
    if (change.kind == Change::Kind::kCreated && change.owner != 0 &&
        !world_.server().session_alive(change.owner) && world_.server().closing().empty()) {
      const auto gone = [&](const Change& later) {
        return later.kind == Change::Kind::kDeleted && later.path == change.path;
      };
      const auto after = history.begin() + static_cast<std::ptrdiff_t>(history_checked_);
      if (std::none_of(after, history.end(), gone)) {
        fail(text(change.path) + " has outlived its session");
      }
    }
  }
}

PastTree GuaranteeChecker::tree_at(Zxid zxid) const {
  PastTree tree;
  tree["/"].children = {"zookeeper"};
  tree["/zookeeper"].children = {"config", "quota"};
  tree["/zookeeper/config"];
  tree["/zookeeper/quota"];
  for (const Change& change : world_.server().history()) {
    if (change.zxid > zxid) break;
    const std::string path = text(change.path);
    const std::string last = path.substr(path.rfind('/') + 1);
    PastZnode& parent = tree[parent_of(path)];
    if (change.kind == Change::Kind::kCreated) {
      tree[path] = PastZnode{change.zxid, change.zxid, change.zxid, {}};
      parent.children.insert(last);
      // At the end of the sequence the parent's counter sticks, and its pzxid with it.
      if (change.version > 0) parent.pzxid = change.zxid;
    } else if (change.kind == Change::Kind::kDeleted) {
      tree.erase(path);
      parent.children.erase(last);
      parent.pzxid = change.zxid;
    } else if (change.kind == Change::Kind::kDataSet) {
      tree[path].mzxid = change.zxid;
    }
  }
  return tree;
}

}  // namespace lockstep::support
