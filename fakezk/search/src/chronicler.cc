#include "lockstep/search/chronicler.h"

#include <algorithm>
#include <chrono>

#include "step_words.h"

namespace lockstep::search {

namespace {

std::uint32_t process_of_timer(const fakezk::Step& step) {
  return step.timer == fakezk::TimerKind::kProcess ? step.timer_index : Chronicle::kNoProcess;
}

void add_stat(Moment& moment, const Stat& stat) {
  if (stat.czxid == 0) return;
  moment.details.push_back({"czxid", std::to_string(stat.czxid)});
  moment.details.push_back({"version", std::to_string(stat.version)});
  if (stat.ephemeral_owner != 0) {
    moment.details.push_back({"ephemeral owner", session_text(stat.ephemeral_owner)});
  }
}

}  // namespace

void Chronicler::step(const fakezk::Step& step) {
  // An expiry also traces the timers that fire on its way: they belong to its step.
  if (step.number != step_) current_ = written_.moments.size();
  step_ = step.number;
  take_in_changes(step.number, current_);
  switch (step.event.kind) {
    case fakezk::Event::Kind::kApply: return applied(step);
    case fakezk::Event::Kind::kDeliver: return received(step);
    case fakezk::Event::Kind::kCloseSession:
      add(step, Moment::Kind::kServers, process_of_session(step.event.index),
          "the servers end the session, its ephemerals go");
      return;
    case fakezk::Event::Kind::kReap:
      add(step, Moment::Kind::kServers, Chronicle::kNoProcess,
          "the servers remove " + world_.server().paths().path(step.path).string());
      return;
    case fakezk::Event::Kind::kStray:
      add(step, Moment::Kind::kServers, Chronicle::kNoProcess,
          "late: " + describe(world_, *step.applied) + ", left behind by a broken connection");
      return;
    case fakezk::Event::Kind::kReplicate:
      add(step, Moment::Kind::kServers, Chronicle::kNoProcess,
          "replica " + std::to_string(step.event.index) + " catches up by one");
      return;
    case fakezk::Event::Kind::kWake:
      add(step, Moment::Kind::kClock, step.event.index, "this process wakes up again");
      return;
    case fakezk::Event::Kind::kGoOn:
      add(step, Moment::Kind::kGoOn, fakezk::Threads::process_of(step.event.index),
          describe_thread(step.event.index))
          .overtakes = overtakes(step.event.index);
      return;
    case fakezk::Event::Kind::kTimer:
      add(step, Moment::Kind::kClock, process_of_timer(step), describe_timer(step));
      return;
    case fakezk::Event::Kind::kFault: return injected(step);
  }
}

// Whether another thread of the process has waited longer, or was preempted.
bool Chronicler::overtakes(std::uint32_t thread) const {
  using fakezk::Threads;
  for (const fakezk::Thread* const ready : world_.threads().ready()) {
    if (ready->index() == thread) return false;
    if (Threads::process_of(ready->index()) == Threads::process_of(thread)) return true;
  }
  return false;
}

void Chronicler::applied(const fakezk::Step& step) {
  const fakezk::Applied& applied = *step.applied;
  const std::uint32_t process = world_.process_of(step.event.index);
  if (!applied.is_request) {
    add(step, Moment::Kind::kConnection, process,
        applied.watches ? "asks for its watches again" : "connects");
    return;
  }
  Moment& moment = add(step, Moment::Kind::kRequest, process, describe(world_, applied));
  if (applied.path != fakezk::PathTable::kRoot) {
    moment.details.push_back({"path", world_.server().paths().path(applied.path).string()});
  }
  moment.details.push_back({"result", outcome(applied.has_error, applied.error)});
  if (applied.zxid != 0) moment.details.push_back({"zxid", std::to_string(applied.zxid)});
  if (applied.watches) moment.details.push_back({"asks for", "a watch"});
  const fakezk::SessionIndex session = world_.server().session_of(step.event.index);
  if (session != fakezk::kNoSession) {
    moment.details.push_back({"session", session_text(world_.server().session_id(session))});
  }
  unanswered_[step.event.index].emplace_back(applied.op, written_.moments.size() - 1);
}

void Chronicler::received(const fakezk::Step& step) {
  const fakezk::ServerMessage& message = *step.received;
  const std::uint32_t process = world_.process_of(step.event.index);
  const auto connection = [&](std::string text) {
    add(step, Moment::Kind::kConnection, process, std::move(text));
  };
  switch (message.kind) {
    case fakezk::ServerMessage::Kind::kReply: {
      const std::string result = outcome(message.reply.is_error(), message.reply.error);
      Moment& moment =
          add(step, Moment::Kind::kReply, process, std::string(name(message.op)) + ": " + result);
      return replied(step, moment);
    }
    case fakezk::ServerMessage::Kind::kWatchEvent: {
      const std::string path = message.reply.path.string();
      const std::string event(lockstep::name(message.event));
      Moment& moment = add(step, Moment::Kind::kWatchEvent, process, path + ' ' + event);
      moment.details = {{"path", path}, {"event", event}, {"zxid", std::to_string(message.zxid)}};
      return;
    }
    case fakezk::ServerMessage::Kind::kSessionAccepted: return connection("connected");
    case fakezk::ServerMessage::Kind::kSessionExpired: return connection("session expired");
    case fakezk::ServerMessage::Kind::kWatchesSet: return connection("watches set again");
    case fakezk::ServerMessage::Kind::kQueried: return connection("a query answered");
    case fakezk::ServerMessage::Kind::kConnectionEnded:
      unanswered_[step.event.index].clear();
      return connection(std::string(lockstep::name(message.reply.error)));
  }
}

void Chronicler::replied(const fakezk::Step& step, Moment& moment) {
  const fakezk::ServerMessage& message = *step.received;
  const Reply& reply = message.reply;
  // Replies come in order, except for add_auth, which overtakes the others.
  auto& waiting = unanswered_[step.event.index];
  const auto asked = std::ranges::find(waiting, message.op, &std::pair<OpCode, std::size_t>::first);
  if (asked != waiting.end()) {
    moment.answers = asked->second;
    moment.details.push_back(
        {"asked in", "step " + std::to_string(written_.moments[asked->second].step)});
    waiting.erase(asked);
  }
  moment.details.push_back({"result", outcome(reply.is_error(), reply.error)});
  if (message.zxid != 0) moment.details.push_back({"zxid", std::to_string(message.zxid)});
  if (reply.is_error()) return;
  if (!reply.path.view().empty()) moment.details.push_back({"path", reply.path.string()});
  if (message.op == OpCode::kGetChildren) {
    moment.details.push_back({"children", joined(reply.children)});
    moment.details.push_back({"pzxid", std::to_string(reply.children.parent().pzxid)});
  }
  if (!reply.data.is_null()) moment.details.push_back({"data", std::string(reply.data.view())});
  add_stat(moment, reply.stat());
}

void Chronicler::injected(const fakezk::Step& step) {
  // A crashed process cannot report the end of its grants.
  if (step.event.fault == fakezk::FaultKind::kCrash) end_grants(step.event.index);
  Moment& moment =
      add(step, Moment::Kind::kFault, process_of_fault(step), fault_sentence(world_, step));
  moment.details.push_back({"fault", std::string(name(step.event.fault))});
  lost_with_leader(step);
}

// The process in whose lane the fault appears.
std::uint32_t Chronicler::process_of_fault(const fakezk::Step& step) const {
  switch (step.event.fault) {
    case fakezk::FaultKind::kCut:
    case fakezk::FaultKind::kLateApply: return world_.process_of(step.event.index);
    case fakezk::FaultKind::kExpiry:
    case fakezk::FaultKind::kKillSession:
    case fakezk::FaultKind::kForeignDelete: return process_of_session(step.event.index);
    case fakezk::FaultKind::kTimer: return process_of_timer(step);
    case fakezk::FaultKind::kStall:
    case fakezk::FaultKind::kCrash:
    case fakezk::FaultKind::kClockDrift: return step.event.index;
    case fakezk::FaultKind::kLag:
    case fakezk::FaultKind::kReplicaPartition:
    case fakezk::FaultKind::kLeaderChange:
    case fakezk::FaultKind::kParentRemoval:
    case fakezk::FaultKind::kSequenceOverflow:
    case fakezk::FaultKind::kForgottenWrites: return Chronicle::kNoProcess;
  }
  return Chronicle::kNoProcess;
}

// Adds one moment for each connection that loses messages.
void Chronicler::lost_with_leader(const fakezk::Step& step) {
  for (fakezk::LinkIndex index = 0; index < step.lost_inboxes.size(); ++index) {
    const fakezk::Link& link = world_.network()[index];
    const std::size_t requests = link.open ? link.requests.size() : 0;
    const std::size_t inbox = step.lost_inboxes[index];
    if (requests + inbox == 0) continue;
    Moment& moment = add(step, Moment::Kind::kFault, world_.process_of(index),
                         "the connection ends, " + losses(link, requests, inbox));
    moment.details.push_back({"fault", std::string(name(step.event.fault))});
  }
}

Moment& Chronicler::add(const fakezk::Step& step, Moment::Kind kind, std::uint32_t process,
                        std::string text) {
  time_ms_ =
      std::chrono::duration_cast<std::chrono::milliseconds>(step.now.time_since_epoch()).count();
  return written_.moments.emplace_back(Moment{.kind = kind,
                                              .step = step.number,
                                              .time_ms = time_ms_,
                                              .process = process,
                                              .text = std::move(text)});
}

void Chronicler::user_note(std::uint32_t process, std::uint32_t user, std::string_view text) {
  written_.moments.push_back(Moment{.kind = Moment::Kind::kRemark,
                                    .step = step_,
                                    .time_ms = time_ms_,
                                    .process = process,
                                    .text = std::string(text),
                                    .user = user});
}

void Chronicler::grant_begins(std::uint32_t process, const Path& znode) {
  GrantSpan grant{process, znode.string(), written_.moments.size(), Chronicle::kNever,
                  Chronicle::kNever};
  // The znode of a grant may be gone before its holder hears of the grant.
  for (const ZnodeChange& change : written_.changes) {
    if (change.path != grant.znode) continue;
    grant.znode_gone =
        change.kind == fakezk::Change::Kind::kDeleted ? change.moment : Chronicle::kNever;
  }
  written_.grants.push_back(std::move(grant));
}

void Chronicler::grant_ends(std::uint32_t process, const Path& znode) {
  for (GrantSpan& grant : written_.grants) {
    const bool runs = grant.process == process && grant.ends == Chronicle::kNever;
    if (runs && grant.znode == znode.view()) grant.ends = written_.moments.size();
  }
}

void Chronicler::end_grants(std::uint32_t process) {
  for (GrantSpan& grant : written_.grants) {
    const bool runs = grant.process == process && grant.ends == Chronicle::kNever;
    if (runs) grant.ends = written_.moments.size();
  }
}

void Chronicler::settled() {
  learn_sessions();
  take_in_changes(step_, current_);
  take_in_watches();
}

void Chronicler::learn_sessions() {
  for (fakezk::LinkIndex link = 0; link < world_.network().size(); ++link) {
    const fakezk::Endpoint* const endpoint = world_.network()[link].endpoint;
    if (endpoint && endpoint->session_id() != 0) {
      process_of_[endpoint->session_id()] = world_.process_of(link);
    }
  }
}

void Chronicler::take_in_changes(std::uint32_t step, std::size_t moment) {
  const fakezk::History& history = world_.server().history();
  for (; changes_seen_ < history.size(); ++changes_seen_) {
    take_in(history[changes_seen_], step, moment);
  }
}

void Chronicler::take_in(const fakezk::Change& change, std::uint32_t step, std::size_t moment) {
  if (change.kind == fakezk::Change::Kind::kChecked) return;
  ZnodeChange taken{.kind = change.kind,
                    .step = step,
                    .moment = moment,
                    .path = world_.server().paths().path(change.path).string(),
                    .zxid = change.zxid,
                    .lifetime = change.lifetime,
                    .owner = change.owner,
                    .owned = process_of(change.owner),
                    .data = change.data};
  if (change.kind == fakezk::Change::Kind::kDeleted) {
    for (GrantSpan& grant : written_.grants) {
      const bool exists = grant.znode_gone == Chronicle::kNever;
      if (exists && grant.znode == taken.path) grant.znode_gone = moment;
    }
  }
  written_.changes.push_back(std::move(taken));
}

void Chronicler::take_in_watches() {
  std::map<WatchKey, std::size_t> now;
  for (fakezk::LinkIndex link = 0; link < world_.network().size(); ++link) {
    if (world_.server().session_of(link) == fakezk::kNoSession) continue;
    const fakezk::Replica& replica = world_.server().replica(world_.server().replica_of(link));
    watch_of(link, replica.data_watches(), false, now);
    watch_of(link, replica.child_watches(), true, now);
  }
  for (const auto& [key, span] : watched_) {
    if (!now.contains(key)) written_.watches[span].ends_after = step_;
  }
  watched_ = std::move(now);
}

void Chronicler::watch_of(fakezk::LinkIndex link, const fakezk::WatchTable& table, bool children,
                          std::map<WatchKey, std::size_t>& now) {
  const std::uint32_t process = world_.process_of(link);
  for (const fakezk::PathId path : table.watched_by(link)) {
    WatchKey key(process, world_.server().paths().path(path).string(), children);
    const auto known = watched_.find(key);
    if (known != watched_.end()) {
      now.emplace(*known);
      continue;
    }
    written_.watches.push_back(
        {process, std::get<std::string>(key), children, step_, Chronicle::kNoStep});
    now.emplace(std::move(key), written_.watches.size() - 1);
  }
}

std::uint32_t Chronicler::process_of(SessionId session) const {
  const auto known = process_of_.find(session);
  return known == process_of_.end() ? Chronicle::kNoProcess : known->second;
}

std::uint32_t Chronicler::process_of_session(fakezk::SessionIndex session) const {
  return process_of(world_.server().session_id(session));
}

Chronicle Chronicler::chronicle(const Program& program) const {
  Chronicle copy = written_;
  for (std::uint32_t i = 0; i < world_.process_count(); ++i) {
    copy.processes.push_back(program.process_name(i));
  }
  for (const auto& [session, process] : process_of_) {
    copy.sessions.emplace("session " + session_text(session), process);
  }
  copy.steps = step_;
  copy.replicas = world_.server().replica_count();
  return copy;
}

}  // namespace lockstep::search
