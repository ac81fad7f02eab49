#include "step_words.h"

#include <string_view>

namespace lockstep::search {

namespace {

constexpr std::size_t kMostNamed = 3;  // The most lost messages that a cut names.

std::string lost_request(const fakezk::ClientMessage& message) {
  switch (message.kind) {
    case fakezk::ClientMessage::Kind::kRequest: return std::string(name(message.request.op));
    case fakezk::ClientMessage::Kind::kQuery: return "a query";
    case fakezk::ClientMessage::Kind::kHandshake:
    case fakezk::ClientMessage::Kind::kSetWatches: break;
  }
  return "the connect request";
}

std::string lost_answer(const fakezk::ServerMessage& message) {
  switch (message.kind) {
    case fakezk::ServerMessage::Kind::kReply: return "reply to " + std::string(name(message.op));
    case fakezk::ServerMessage::Kind::kWatchEvent:
      return "watch event " + message.reply.path.string() + ' ' + std::string(name(message.event));
    case fakezk::ServerMessage::Kind::kSessionAccepted: return "the connect reply";
    case fakezk::ServerMessage::Kind::kSessionExpired:
      return "the notice that the session has expired";
    case fakezk::ServerMessage::Kind::kWatchesSet:
      return "the reply that the watches are set again";
    case fakezk::ServerMessage::Kind::kQueried: return "the answer to a query";
    case fakezk::ServerMessage::Kind::kConnectionEnded: return "the end of the connection";
  }
  return "";
}

std::string lost_by_cut(const fakezk::World& world, const fakezk::Step& step) {
  return losses(world.network()[step.event.index], step.lost_requests, step.lost_inbox);
}

std::string last_writes(std::int32_t writes) {
  return writes == 1 ? "the last write" : "the last " + std::to_string(writes) + " writes";
}

// The fixed part of a fault's sentence.
std::string_view plain_sentence(fakezk::FaultKind fault) {
  switch (fault) {
    case fakezk::FaultKind::kCut:
    case fakezk::FaultKind::kLateApply: return "the connection is cut, ";
    case fakezk::FaultKind::kExpiry:
      return "nothing is heard of this session until the servers expire it";
    case fakezk::FaultKind::kKillSession: return "an operator kills this session";
    case fakezk::FaultKind::kTimer: return " early";
    case fakezk::FaultKind::kLag: return " falls behind";
    case fakezk::FaultKind::kReplicaPartition: return " loses its leader";
    case fakezk::FaultKind::kLeaderChange:
      return "another server becomes the leader, every connection ends";
    case fakezk::FaultKind::kStall: return "this process stalls";
    case fakezk::FaultKind::kCrash: return "this process crashes, and starts again";
    case fakezk::FaultKind::kClockDrift: return "from now on the clock of this process is ";
    case fakezk::FaultKind::kForeignDelete: return "an operator deletes ";
    case fakezk::FaultKind::kParentRemoval: return "the servers remove ";
    case fakezk::FaultKind::kSequenceOverflow: return "the next sequential znode in ";
    case fakezk::FaultKind::kForgottenWrites:
      return "another server becomes the leader, every connection ends, and no server knows of ";
  }
  return "";
}

}  // namespace

std::string outcome(bool has_error, Error error) {
  return has_error ? std::string(name(error)) : "ok";
}

std::string session_text(SessionId session) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto bits = static_cast<std::uint64_t>(session);
  std::string text = "0x";
  for (int shift = 60; shift >= 0; shift -= 4) {
    const auto digit = bits >> shift & 0xf;
    if (digit != 0 || text.size() > 2 || shift == 0) text += kDigits[digit];
  }
  return text;
}

std::string joined(const Children& children) {
  std::string text;
  for (const std::string_view child : children)
    text += (text.empty() ? "" : ", ") + std::string(child);
  return text.empty() ? "none" : text;
}

std::string describe(const fakezk::World& world, const fakezk::Applied& applied) {
  std::string text(name(applied.op));
  if (applied.path != fakezk::PathTable::kRoot) {
    text += ' ' + world.server().paths().path(applied.path).string();
  }
  return text + ": " + outcome(applied.has_error, applied.error);
}

std::string describe_thread(std::uint32_t index) {
  const std::uint32_t number = fakezk::Threads::number_of(index);
  return number == 0 ? "goes on" : "thread " + std::to_string(number + 1) + " goes on";
}

std::string describe_timer(const fakezk::Step& step) {
  switch (step.timer) {
    case fakezk::TimerKind::kProcess: return "a timer fires";
    case fakezk::TimerKind::kExpiry: return "silent sessions expire";
    case fakezk::TimerKind::kRejoin:
      return "replica " + std::to_string(step.timer_index) + " gives up its leader";
    case fakezk::TimerKind::kContainerCheck: return "the leader looks for empty containers";
  }
  return "";
}

std::string losses(const fakezk::Link& link, std::size_t requests, std::size_t inbox) {
  const std::size_t all = requests + inbox;
  if (all == 0) return "nothing is lost";
  if (all > kMostNamed) return std::to_string(all) + " messages are lost";
  std::string text;
  const auto add = [&text](std::string_view lost) {
    text += (text.empty() ? "lost: " : ", ") + std::string(lost);
  };
  for (std::size_t i = link.requests.size() - requests; i < link.requests.size(); ++i) {
    const fakezk::ClientMessage& message = link.requests[i];
    add(lost_request(message));
  }
  for (std::size_t i = link.inbox.size() - inbox; i < link.inbox.size(); ++i) {
    add(lost_answer(link.inbox[i]));
  }
  return text;
}

std::string fault_sentence(const fakezk::World& world, const fakezk::Step& step) {
  std::string text(plain_sentence(step.event.fault));
  const std::string place = std::to_string(step.event.index);
  const std::string path = world.server().paths().path(step.path).string();
  switch (step.event.fault) {
    case fakezk::FaultKind::kCut: return text + lost_by_cut(world, step);
    case fakezk::FaultKind::kLateApply:
      return text + lost_by_cut(world, step) + ", other requests come late";
    case fakezk::FaultKind::kTimer: return describe_timer(step) + text;
    case fakezk::FaultKind::kLag:
    case fakezk::FaultKind::kReplicaPartition: return "replica " + place + text;
    case fakezk::FaultKind::kClockDrift: return text + (step.amount > 0 ? "fast" : "slow");
    case fakezk::FaultKind::kForeignDelete: return text + path;
    case fakezk::FaultKind::kParentRemoval: return text + path + ", which is empty";
    case fakezk::FaultKind::kSequenceOverflow:
      return text + path + " has the number " + std::to_string(step.amount);
    case fakezk::FaultKind::kForgottenWrites: return text + last_writes(step.amount);
    default: return text;
  }
}

}  // namespace lockstep::search
