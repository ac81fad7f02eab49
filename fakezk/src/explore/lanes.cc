#include "lockstep/fakezk/explore/lanes.h"

#include <algorithm>

namespace lockstep::fakezk {

namespace {

constexpr std::size_t kGuidLength = 36;
constexpr std::size_t kNarrowest = 24;

std::string outcome(bool has_error, Error error) {
  return has_error ? std::string(name(error)) : "ok";
}

// Characters on the screen, not bytes: names may be UTF-8.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char byte) { return (byte & 0xc0) != 0x80; }));
}

std::string padded(std::string text, std::size_t to) {
  const std::size_t has = width(text);
  if (has < to) text.append(to - has, ' ');
  return text;
}

}  // namespace

std::string without_guids(std::string_view text) {
  constexpr std::string_view kPrefix = "_c_";
  std::string plain;
  while (!text.empty()) {
    const std::size_t at = text.find(kPrefix);
    plain += text.substr(0, at);
    if (at == std::string_view::npos) break;
    const std::size_t end = at + kPrefix.size() + kGuidLength;
    if (end < text.size() && text[end] == '-') {
      text.remove_prefix(end + 1);
    } else {
      plain += kPrefix;
      text.remove_prefix(at + kPrefix.size());
    }
  }
  return plain;
}

void Lanes::step(const Step& step) {
  switch (step.event.kind) {
    case Event::Kind::kApply: return applied(step);
    case Event::Kind::kDeliver: return received(step);
    case Event::Kind::kCloseSession:
      return add(step, process_of_session(step.event.index),
                 "** the server ends the session and deletes its ephemerals");
    case Event::Kind::kReap:
      return add(step, 0,
                 "** the server removes " + world_.server().paths().path(step.path).string());
    case Event::Kind::kStray:
      return add(step, 0,
                 "** late: " + describe(*step.applied) + ", left behind by a broken connection");
    case Event::Kind::kReplicate:
      return add(step, 0, "** replica " + std::to_string(step.event.index) + " catches up by one");
    case Event::Kind::kTimer: return add(step, 0, "** the clock moves: a timer fires");
    case Event::Kind::kFault: return fault(step);
  }
}

void Lanes::applied(const Step& step) {
  const Server::Applied& applied = *step.applied;
  const std::uint32_t process = world_.process_of(step.event.index);
  if (!applied.is_request) {
    return add(step, process, "-> connects");
  }
  add(step, process, "-> " + describe(applied));
  rows_.back().awaits_reply = true;
}

std::string Lanes::describe(const Server::Applied& applied) const {
  std::string text(name(applied.op));
  if (applied.path != PathTable::kRoot) {
    text += ' ' + world_.server().paths().path(applied.path).string();
  }
  return text + ": " + outcome(applied.has_error, applied.error);
}

void Lanes::received(const Step& step) {
  const ServerMessage& message = *step.received;
  const std::uint32_t process = world_.process_of(step.event.index);
  const bool right_after = !rows_.empty() && rows_.back().awaits_reply &&
                           rows_.back().process == process && rows_.back().step + 1 == step.number;
  switch (message.kind) {
    case ServerMessage::Kind::kReply:
      if (right_after) {
        rows_.back().text += ", received";
        rows_.back().awaits_reply = false;
        return;
      }
      return add(step, process,
                 "<- " + std::string(name(message.op)) + ": " +
                     outcome(message.reply.is_error(), message.reply.error));
    case ServerMessage::Kind::kWatchEvent:
      return add(
          step, process,
          "<- ! " + message.reply.path.string() + " " + std::string(lockstep::name(message.event)));
    case ServerMessage::Kind::kSessionAccepted: return add(step, process, "<- connected");
    case ServerMessage::Kind::kSessionExpired: return add(step, process, "<- session expired");
    case ServerMessage::Kind::kWatchesSet: return add(step, process, "<- watches set again");
    case ServerMessage::Kind::kConnectionEnded:
      return add(step, process, "<- " + std::string(lockstep::name(message.reply.error)));
  }
}

void Lanes::fault(const Step& step) {
  switch (step.event.fault) {
    case FaultKind::kCut:
      return add(step, world_.process_of(step.event.index),
                 "** the connection is cut: " + std::to_string(step.lost_requests) +
                     " requests and " + std::to_string(step.lost_inbox) + " replies are lost");
    case FaultKind::kExpiry:
      return add(step, process_of_session(step.event.index),
                 "** nothing is heard of this session until the server expires it");
    case FaultKind::kKillSession:
      return add(step, process_of_session(step.event.index), "** an operator kills this session");
    case FaultKind::kTimer: return add(step, 0, "** a timer fires early");
    case FaultKind::kLateApply:
      return add(step, world_.process_of(step.event.index),
                 "** the connection is cut: " + std::to_string(step.lost_requests) +
                     " requests and " + std::to_string(step.lost_inbox) +
                     " replies are lost, the other requests come late");
    case FaultKind::kLag:
      return add(step, 0, "** replica " + std::to_string(step.event.index) + " falls behind");
    case FaultKind::kReplicaPartition:
      return add(step, 0, "** replica " + std::to_string(step.event.index) + " loses its leader");
    case FaultKind::kLeaderChange: return add(step, 0, "** another server becomes the leader");
  }
}

void Lanes::note(std::uint32_t process, std::string_view text) {
  const std::uint32_t step = rows_.empty() ? 0 : rows_.back().step;
  const std::int64_t time_ms = rows_.empty() ? 0 : rows_.back().time_ms;
  if (!rows_.empty()) rows_.back().awaits_reply = false;
  rows_.push_back({step, time_ms, process, "== " + without_guids(text)});
}

void Lanes::add(const Step& step, std::uint32_t process, std::string text) {
  if (!rows_.empty()) rows_.back().awaits_reply = false;
  const std::int64_t time_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(step.now.time_since_epoch()).count();
  rows_.push_back({step.number, time_ms, process, without_guids(text)});
}

std::uint32_t Lanes::process_of_session(SessionIndex session) const {
  const SessionId id = world_.server().session_id(session);
  for (LinkIndex link = 0; link < world_.network().size(); ++link) {
    const Endpoint* const endpoint = world_.network()[link].endpoint;
    if (endpoint && endpoint->session_id() == id) return world_.process_of(link);
  }
  return 0;
}

std::string Lanes::render(const Program& program) const {
  std::vector<std::size_t> widths(world_.process_count(), kNarrowest);
  for (const Row& row : rows_) widths[row.process] = std::max(widths[row.process], width(row.text));
  std::string text = "step     time  ";
  for (std::uint32_t i = 0; i < widths.size(); ++i) {
    text += padded(program.process_name(i), widths[i]) + "  ";
  }
  for (const Row& row : rows_) {
    std::string number = std::to_string(row.step);
    std::string time = std::to_string(row.time_ms) + " ms";
    std::string line(number.size() < 4 ? 4 - number.size() : 0, ' ');
    line += number;
    line.append(time.size() < 9 ? 9 - time.size() : 0, ' ');
    line += time + "  ";
    for (std::uint32_t i = 0; i < row.process; ++i) line.append(widths[i] + 2, ' ');
    line += row.text;
    while (text.ends_with(' ')) text.pop_back();
    text += '\n' + line;
  }
  return text + '\n';
}

}  // namespace lockstep::fakezk
