#include "lockstep/fakezk/server.h"

#include <algorithm>

#include "path_rules.h"

namespace lockstep::fakezk {

namespace {

// Where virtual time starts, for the Stat's wall clock: 2020-01-01T00:00:00Z.
constexpr std::int64_t kEpochMs = 1577836800000;
constexpr std::uint32_t kMostShuffled = 8;
constexpr SessionId kFirstSessionId = 0x100000000000001;

std::int64_t wall_clock_ms(TimePoint now) {
  return kEpochMs +
         std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
}

// A function of the id alone, so that any server could check it (ZooKeeperServer.generatePasswd).
std::uint64_t password_of(SessionId id) {
  return (static_cast<std::uint64_t>(id) ^ 0xb3415c00u) * 0x9e3779b97f4a7c15u;
}

bool version_matches(std::int32_t expected, std::int32_t actual) {
  return expected == -1 || expected == actual;
}

}  // namespace

Server::Server(Network& network, internal::TimerQueue& timers, Unspecified& unspecified,
               std::shared_ptr<PathTable> paths, ServerOptions options)
    : network_(network),
      timers_(timers),
      unspecified_(unspecified),
      options_(options),
      paths_(paths),
      tree_(paths) {}

void Server::reset(std::shared_ptr<PathTable> paths) {
  paths_ = std::move(paths);
  tree_.reset(paths_);
  data_watches_.reset();
  child_watches_.reset();
  for (SessionIndex session = 0; session < session_count_; ++session) {
    timers_.erase(sessions_[session].expiry);
    sessions_[session].ephemerals.clear();
  }
  session_count_ = 0;
  session_of_link_.clear();
  closing_.clear();
  history_.clear();
  zxid_ = 0;
}

void Server::apply(LinkIndex link, TimePoint now) {
  ClientMessage message = network_[link].requests.pop();
  applied_ = Applied{};
  switch (message.kind) {
    case ClientMessage::Kind::kHandshake: return greet(link, message.handshake, now);
    case ClientMessage::Kind::kSetWatches: return set_watches(link, *message.watched);
    case ClientMessage::Kind::kRequest: break;
  }
  const SessionIndex session = session_of(link);
  applied_.op = message.request.op;
  applied_.is_request = true;
  if (session == kNoSession || sessions_[session].phase != Phase::kOpen) {
    // The session is being closed: the request is dropped (ZooKeeperServer.submitRequestNow).
    applied_.error = Error::kSessionExpired;
    applied_.has_error = true;
    return;
  }
  // First what it sets off: a session hears of its own change before the reply.
  Reply reply = execute(link, session, message.request, wall_clock_ms(now));
  applied_.error = reply.error;
  applied_.has_error = reply.is_error();
  applied_.zxid = zxid_;
  ServerMessage& answer = network_[link].inbox.emplace(ServerMessage::Kind::kReply);
  answer.op = applied_.op;
  answer.zxid = zxid_;
  answer.reply = std::move(reply);
  if (applied_.op == OpCode::kClose) {
    connection_ended(link, now);
    network_.disconnect(link, network_[link].inbox.size(), Error::kConnectionLoss);
  }
}

void Server::greet(LinkIndex link, const Handshake& handshake, TimePoint now) {
  SessionIndex session = kNoSession;
  if (handshake.session_id == 0) {
    session = open_session();
  } else {
    session = find_session(handshake);
  }
  if (session == kNoSession) {
    network_[link].open = false;
    network_[link].inbox.push(ServerMessage(ServerMessage::Kind::kSessionExpired));
    return;
  }
  ServerSession& known = sessions_[session];
  if (known.link != kNoLink && known.link != link) {
    const LinkIndex old = known.link;
    connection_ended(old, now);
    network_.disconnect(old, network_[old].inbox.size(), Error::kConnectionLoss);
  }
  timers_.erase(known.expiry);
  // Negotiated with every connection anew.
  known.timeout = std::clamp(handshake.timeout, 2 * options_.tick_time, 20 * options_.tick_time);
  known.link = link;
  if (link >= session_of_link_.size()) session_of_link_.resize(link + 1, kNoSession);
  session_of_link_[link] = session;

  ServerMessage welcome(ServerMessage::Kind::kSessionAccepted);
  welcome.session_id = known.id;
  welcome.password = known.password;
  welcome.timeout = known.timeout;
  network_[link].inbox.push(std::move(welcome));
  applied_.zxid = zxid_;
}

SessionIndex Server::open_session() {
  const SessionIndex session = session_count_++;
  if (session == sessions_.size()) sessions_.emplace_back();
  ServerSession& fresh = sessions_[session];
  ++zxid_;
  fresh.id = kFirstSessionId + session;
  fresh.password = password_of(fresh.id);
  fresh.link = kNoLink;
  fresh.phase = Phase::kOpen;
  fresh.expiry.server = this;
  fresh.expiry.session = session;
  return session;
}

SessionIndex Server::find_session(const Handshake& handshake) const {
  const SessionId offset = handshake.session_id - kFirstSessionId;
  if (offset < 0 || offset >= static_cast<SessionId>(session_count_)) return kNoSession;
  const auto session = static_cast<SessionIndex>(offset);
  const ServerSession& known = sessions_[session];
  if (known.phase != Phase::kOpen || known.password != handshake.password) return kNoSession;
  return session;
}

void Server::set_watches(LinkIndex link, const WatchedPaths& watched) {
  // A comparison of states, not a replay of what happened (DataTree.setWatches).
  for (const Path& path : watched.data) {
    const PathId id = paths_->intern(path.text());
    const Znode* const znode = tree_.find(id);
    if (!znode) {
      send_event(link, id, EventType::kDeleted);
    } else if (znode->mzxid > watched.relative_zxid) {
      send_event(link, id, EventType::kChanged);
    } else {
      data_watches_.add(id, link);
    }
  }
  for (const Path& path : watched.exist) {
    const PathId id = paths_->intern(path.text());
    if (tree_.find(id)) {
      send_event(link, id, EventType::kCreated);
    } else {
      data_watches_.add(id, link);
    }
  }
  for (const Path& path : watched.child) {
    const PathId id = paths_->intern(path.text());
    const Znode* const znode = tree_.find(id);
    if (!znode) {
      send_event(link, id, EventType::kDeleted);
    } else if (znode->pzxid > watched.relative_zxid) {
      send_event(link, id, EventType::kChild);
    } else {
      child_watches_.add(id, link);
    }
  }
  ServerMessage done(ServerMessage::Kind::kWatchesSet);
  done.zxid = zxid_;
  network_[link].inbox.push(std::move(done));
}

Reply Server::execute(LinkIndex link, SessionIndex session, Request& request, std::int64_t now_ms) {
  switch (request.op) {
    case OpCode::kCreate: return create(session, request, now_ms);
    case OpCode::kRemove: return remove(session, request);
    case OpCode::kSetData: return set_data(session, request, now_ms);
    case OpCode::kExists:
    case OpCode::kGetData:
    case OpCode::kGetChildren: return read(link, request);
    case OpCode::kSync: return Reply::ok();
    case OpCode::kClose: break;
    default: return Reply(Error::kUnimplemented);
  }
  close_session(session);
  return Reply::ok();
}

Reply Server::create(SessionIndex session, Request& request, std::int64_t now_ms) {
  ++zxid_;  // Failed writes take one as well.
  const std::string_view path = request.path.view();
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos || path.find('\0') != std::string_view::npos) {
    return Reply(Error::kBadArguments);
  }
  const PathId parent_id =
      slash == 0 ? PathTable::kRoot : paths_->intern(Text(path.substr(0, slash)));
  const Znode* const parent = tree_.find(parent_id);
  if (!parent) return Reply(Error::kNoNode);
  const PathId id = is_sequential(request.mode)
                        ? paths_->intern_sequential(request.path.text(), parent->children_created)
                        : paths_->intern(request.path.text());
  applied_.path = id;
  if (!server_accepts(paths_->text(id).view())) return Reply(Error::kBadArguments);
  if (tree_.find(id)) return Reply(Error::kNodeExists);
  if (parent->ephemeral_owner != 0) return Reply(Error::kNoChildrenForEphemerals);

  commit_create(id, session, request, now_ms);
  Reply reply = Reply::ok();
  reply.path = paths_->path(id);
  reply.stat = tree_.stat(*tree_.find(id));
  return reply;
}

void Server::commit_create(PathId id, SessionIndex session, Request& request, std::int64_t now_ms) {
  ServerSession& creator = sessions_[session];
  const SessionId owner = is_ephemeral(request.mode) ? creator.id : 0;
  tree_.create(id, std::move(request.data), owner, request.mode == CreateMode::kContainer, zxid_,
               now_ms);
  if (owner != 0) creator.ephemerals.push_back(id);
  history_.push_back({Change::Kind::kCreated, id, zxid_, creator.id, owner});
  notify(data_watches_, id, EventType::kCreated);
  notify(child_watches_, paths_->parent(id), EventType::kChild);
}

Reply Server::remove(SessionIndex session, const Request& request) {
  ++zxid_;
  if (!server_can_remove(request.path.view())) return Reply(Error::kBadArguments);
  const PathId id = paths_->intern(request.path.text());
  applied_.path = id;
  const Znode* const znode = tree_.find(id);
  if (!tree_.find(paths_->parent(id)) || !znode) return Reply(Error::kNoNode);
  if (!version_matches(request.version, znode->version)) return Reply(Error::kBadVersion);
  if (!znode->children.empty()) return Reply(Error::kNotEmpty);
  forget_ephemeral(id, znode->ephemeral_owner);
  commit_remove(id, sessions_[session].id);
  return Reply::ok();
}

void Server::commit_remove(PathId id, SessionId actor) {
  const SessionId owner = tree_.find(id)->ephemeral_owner;
  tree_.remove(id, zxid_);
  history_.push_back({Change::Kind::kDeleted, id, zxid_, actor, owner});
  notify_deleted(id);
  notify(child_watches_, paths_->parent(id), EventType::kChild);
}

Reply Server::set_data(SessionIndex session, Request& request, std::int64_t now_ms) {
  ++zxid_;
  if (!server_accepts(request.path.view())) return Reply(Error::kBadArguments);
  const PathId id = paths_->intern(request.path.text());
  applied_.path = id;
  const Znode* const znode = tree_.find(id);
  if (!znode) return Reply(Error::kNoNode);
  if (!version_matches(request.version, znode->version)) return Reply(Error::kBadVersion);
  tree_.set_data(id, std::move(request.data), zxid_, now_ms);
  history_.push_back(
      {Change::Kind::kDataSet, id, zxid_, sessions_[session].id, znode->ephemeral_owner});
  notify(data_watches_, id, EventType::kChanged);
  Reply reply = Reply::ok();
  reply.stat = tree_.stat(*znode);
  return reply;
}

Reply Server::read(LinkIndex link, const Request& request) {
  const PathId id = paths_->intern(request.path.text());
  applied_.path = id;
  const Znode* const znode = tree_.find(id);
  const bool watched = request.watch != nullptr;
  if (!znode) {
    if (watched && request.op == OpCode::kExists) data_watches_.add(id, link);
    return Reply(Error::kNoNode);
  }
  if (watched) (request.op == OpCode::kGetChildren ? child_watches_ : data_watches_).add(id, link);
  Reply reply = Reply::ok();
  if (request.op == OpCode::kGetChildren) {
    // ZooKeeper lists children in the order of a hash table.
    scratch_.assign(znode->children.begin(), znode->children.end());
    shuffle(scratch_);
    reply.children = tree_.children(*znode, scratch_);
  } else {
    reply.stat = tree_.stat(*znode);
    if (request.op == OpCode::kGetData) reply.data = znode->data;
  }
  return reply;
}

// One transaction, one zxid, however many ephemerals (PrepRequestProcessor, closeSession).
void Server::close_session(SessionIndex session) {
  ServerSession& ending = sessions_[session];
  ++zxid_;
  // In the order of a hash set, which the watch events show.
  shuffle(ending.ephemerals);
  for (const PathId id : ending.ephemerals) commit_remove(id, 0);
  ending.ephemerals.clear();
  ending.phase = Phase::kClosed;
  timers_.erase(ending.expiry);
}

void Server::connection_ended(LinkIndex link, TimePoint now) {
  data_watches_.drop(link);
  child_watches_.drop(link);
  const SessionIndex session = session_of(link);
  if (session == kNoSession) return;
  session_of_link_[link] = kNoSession;
  ServerSession& known = sessions_[session];
  known.link = kNoLink;
  if (known.phase == Phase::kOpen) timers_.push(known.expiry, expiry_time(session, now));
}

TimePoint Server::expiry_time(SessionIndex session, TimePoint silence) const {
  // Sessions die in buckets of one tick, never early (ExpiryQueue.roundToNextInterval).
  const auto tick = options_.tick_time;
  const Duration last = silence.time_since_epoch() + sessions_[session].timeout;
  return TimePoint((last / tick + 1) * tick);
}

void Server::decide_expiry(SessionIndex session, Error noticed_as) {
  ServerSession& ending = sessions_[session];
  if (ending.phase != Phase::kOpen) return;
  ending.phase = Phase::kClosing;
  ending.noticed_as = noticed_as;
  timers_.erase(ending.expiry);
  closing_.push_back(session);
}

void Server::finish_close(SessionIndex session, TimePoint now) {
  std::erase(closing_, session);
  const LinkIndex link = sessions_[session].link;
  close_session(session);
  if (link == kNoLink) return;
  connection_ended(link, now);
  network_.disconnect(link, network_[link].inbox.size(), sessions_[session].noticed_as);
}

bool Server::session_alive(SessionId id) const {
  const SessionId offset = id - kFirstSessionId;
  return offset >= 0 && offset < static_cast<SessionId>(session_count_) &&
         session_alive(static_cast<SessionIndex>(offset));
}

void Server::notify(WatchTable& table, PathId path, EventType type) {
  for (const LinkIndex link : table.take(path)) send_event(link, path, type);
}

// A connection that watches both the data and the children hears of the deletion once.
void Server::notify_deleted(PathId path) {
  const std::vector<LinkIndex>& told = data_watches_.take(path);
  for (const LinkIndex link : told) send_event(link, path, EventType::kDeleted);
  for (const LinkIndex link : child_watches_.take(path)) {
    if (std::ranges::find(told, link) == told.end()) {
      send_event(link, path, EventType::kDeleted);
    }
  }
}

void Server::send_event(LinkIndex link, PathId path, EventType type) {
  ServerMessage& event = network_[link].inbox.emplace(ServerMessage::Kind::kWatchEvent);
  event.event = type;
  event.zxid = zxid_;
  event.reply.path = paths_->path(path);
}

// Fisher and Yates, from the front, so that all zeros leave everything in place. A long list is
// only rotated: its order matters to nobody by then, and one choice per child would be many.
void Server::shuffle(std::vector<PathId>& ids) {
  const auto count = static_cast<std::uint32_t>(ids.size());
  if (count > kMostShuffled) {
    std::ranges::rotate(ids, ids.begin() + unspecified_.number(count));
    return;
  }
  for (std::uint32_t i = 0; i + 1 < count; ++i) {
    std::swap(ids[i], ids[i + unspecified_.number(count - i)]);
  }
}

void Server::forget_ephemeral(PathId id, SessionId owner) {
  if (owner == 0) return;
  std::erase(sessions_[static_cast<SessionIndex>(owner - kFirstSessionId)].ephemerals, id);
}

}  // namespace lockstep::fakezk
