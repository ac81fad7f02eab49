// Which faults can strike, and what they do.
#include <algorithm>
#include <bit>
#include <utility>

#include "lockstep/fakezk/world.h"
#include "payload_hash.h"

namespace lockstep::fakezk {

namespace {

bool has_write_under_way(const Link& link) {
  bool found = false;
  link.requests.each([&](const ClientMessage& message) {
    found |= message.kind == ClientMessage::Kind::kRequest && is_write(message.request.op);
  });
  return found;
}

}  // namespace

// The kinds of which the plan allows more.
FaultKinds World::faults_left() const {
  if (faults_used_ >= plan_.total()) return 0;
  FaultKinds left = plan_.kinds();
  for (FaultKinds used = kinds_used_; used != 0; used &= used - 1) {
    const auto kind = static_cast<FaultKind>(std::countr_zero(used));
    if (used_[static_cast<std::size_t>(kind)] >= plan_.most(kind)) left &= ~bit(kind);
  }
  if (server_.replica_count() == 1) left &= ~kEnsembleFaults;
  return restarter_ ? left : left & ~bit(FaultKind::kCrash);
}

template <class Visit>
[[gnu::always_inline]] inline bool World::visit_faults(FaultKind kind, Visit visit) const {
  const auto each = [&](std::size_t count, auto can_strike) {
    for (std::uint32_t index = 0; index < count; ++index) {
      if (can_strike(index) && visit(index)) return true;
    }
    return false;
  };
  const auto always = [](std::uint32_t) { return true; };
  const auto lives = [&](SessionIndex session) { return server_.session_alive(session); };
  // A process that has nothing to do could stall or crash unnoticed.
  const auto runs = [&](std::uint32_t index) { return !processes_[index]->tasks().empty(); };
  switch (kind) {
    case FaultKind::kCut:
      return each(network_.size(), [&](LinkIndex link) { return network_[link].open; });
    case FaultKind::kExpiry:
    case FaultKind::kKillSession: return each(server_.session_count(), lives);
    case FaultKind::kTimer: return a_timer_runs() && visit(0);
    case FaultKind::kLateApply:
      return each(network_.size(), [&](LinkIndex link) {
        return server_.session_of(link) != kNoSession && has_write_under_way(network_[link]);
      });
    case FaultKind::kLag:
      return each(server_.replica_count(),
                  [&](ReplicaIndex index) { return !server_.replica(index).lagging; });
    case FaultKind::kReplicaPartition:
      return each(server_.replica_count(),
                  [&](ReplicaIndex index) { return !server_.replica(index).unreachable; });
    case FaultKind::kLeaderChange: return visit(0);
    case FaultKind::kStall:
      return each(process_count_, [&](std::uint32_t index) {
        return runs(index) && !processes_[index]->stalled();
      });
    case FaultKind::kCrash:
    case FaultKind::kClockDrift: return each(process_count_, runs);
    case FaultKind::kForeignDelete:
      return each(server_.session_count(), [&](SessionIndex session) {
        return lives(session) && !server_.ephemerals(session).empty();
      });
    case FaultKind::kParentRemoval: return each(server_.reapable().size(), always);
    case FaultKind::kSequenceOverflow: return each(server_.windable().size(), always);
    case FaultKind::kForgottenWrites: return server_.forgettable() > 0 && visit(0);
  }
  return false;
}

template <FaultKind kind>
FaultKinds World::only_if_possible(FaultKinds kinds) const {
  if ((kinds & bit(kind)) == 0) return 0;
  return visit_faults(kind, [](std::uint32_t) { return true; }) ? bit(kind) : 0;
}

// Kind by kind in straight code: which of them are asked for is random, and no processor would
// foretell where a switch goes.
FaultKinds World::possible_faults(FaultKinds kinds) const {
  const FaultKinds left = kinds & faults_left();
  return [&]<std::size_t... kKind>(std::index_sequence<kKind...>) {
    return (only_if_possible<FaultKind{kKind}>(left) | ...);
  }(std::make_index_sequence<kFaultKinds>());
}

void World::list_faults(FaultKind kind, FaultKinds left) {
  if (kind == FaultKind::kLag) return list_replica_faults(left);
  if ((left & bit(kind)) == 0 || kind == FaultKind::kReplicaPartition) return;
  visit_faults(kind, [&](std::uint32_t index) {
    faults_.add({Event::Kind::kFault, kind, index});
    return false;
  });
}

// By replica.
void World::list_replica_faults(FaultKinds left) {
  const auto list = [&](FaultKind kind, ReplicaIndex index, bool struck) {
    if ((left & bit(kind)) != 0 && !struck) faults_.add({Event::Kind::kFault, kind, index});
  };
  if ((left & kEnsembleFaults) == 0) return;
  for (ReplicaIndex index = 0; index < server_.replica_count(); ++index) {
    list(FaultKind::kLag, index, server_.replica(index).lagging);
    list(FaultKind::kReplicaPartition, index, server_.replica(index).unreachable);
  }
}

void World::inject(const Event& event) {
  if (recorder_) recorder_->writes(ObjectKind::kFaults);
  ++used_[static_cast<std::size_t>(event.fault)];
  ++faults_used_;
  kinds_used_ |= bit(event.fault);
  // Which parents there are, and which of them have no children, is not told apart.
  const bool of_parents =
      event.fault == FaultKind::kParentRemoval || event.fault == FaultKind::kSequenceOverflow;
  if (recorder_ && of_parents) recorder_->touches_everything();
  Step step{.number = steps_, .event = event, .now = now_};
  switch (event.fault) {
    case FaultKind::kCut:
    case FaultKind::kLateApply: return inject_cut(event, step);
    case FaultKind::kExpiry:
      expire(event.index);
      step.now = now_;
      return trace(step);
    case FaultKind::kKillSession: trace(step); return kill_session(event.index);
    case FaultKind::kTimer: return fire_timer(event, false);
    case FaultKind::kLag: trace(step); return server_.set_lagging(event.index, true, now_);
    case FaultKind::kReplicaPartition: trace(step); return server_.isolate(event.index, now_);
    case FaultKind::kLeaderChange: return inject_leader_change(step);
    case FaultKind::kStall: trace(step); return stall(*processes_[event.index]);
    case FaultKind::kCrash: trace(step); return crash(*processes_[event.index]);
    case FaultKind::kClockDrift: return inject_drift(event, step);
    case FaultKind::kForeignDelete: return inject_foreign_delete(event, step);
    case FaultKind::kParentRemoval:
      step.path = server_.reapable()[event.index];
      trace(step);
      return server_.reap(step.path, now_);
    case FaultKind::kSequenceOverflow: return inject_sequence_overflow(event, step);
    case FaultKind::kForgottenWrites: return inject_forgotten_writes(step);
  }
}

void World::inject_cut(const Event& event, Step& step) {
  const Link& link = network_.at(event.index);
  const auto requests = static_cast<std::uint32_t>(link.requests.size());
  const auto items = static_cast<std::uint32_t>(link.inbox.size());
  const bool late = event.fault == FaultKind::kLateApply;
  // Calmly a cut loses all requests, and of those that are applied late the first is one.
  std::uint32_t accepted = 0;
  if (late) {
    accepted = 1 + number(requests);
  } else if (requests > 0) {
    // A cut that finds some requests accepted is a cut that comes after they were applied.
    accepted = took(chooser_->shortcut(requests + 1) % (requests + 1));
  }
  const std::uint32_t received = number(items + 1);
  step.lost_requests = requests - accepted;
  step.lost_inbox = items - received;
  trace(step);
  return late ? cut_late(event.index, accepted, received) : cut(event.index, accepted, received);
}

// Whoever has lost its leader, or its lead, closes its clients' connections (Learner.shutdown,
// Leader.shutdown); of what it has sent on each of them, a part arrives.
void World::draw_lost_inboxes(Step& step) {
  lost_inboxes_.assign(network_.size(), 0);
  for (LinkIndex link = 0; link < network_.size(); ++link) {
    if (!network_.at(link).open) continue;
    const auto items = static_cast<std::uint32_t>(network_.at(link).inbox.size());
    lost_inboxes_[link] = number(items + 1);
  }
  step.lost_inboxes = lost_inboxes_;
}

void World::lose_inboxes() {
  for (LinkIndex link = 0; link < network_.size(); ++link) {
    if (lost_inboxes_[link] == 0) continue;
    network_[link].inbox.truncate(network_.at(link).inbox.size() - lost_inboxes_[link]);
  }
}

void World::inject_leader_change(Step& step) {
  draw_lost_inboxes(step);
  trace(step);
  lose_inboxes();
  change_leader();
}

void World::inject_forgotten_writes(Step& step) {
  const std::uint32_t writes = 1 + number(server_.forgettable());
  step.amount = static_cast<std::int32_t>(writes);
  draw_lost_inboxes(step);
  trace(step);
  lose_inboxes();
  forget_writes(writes);
}

void World::inject_drift(const Event& event, Step& step) {
  const bool fast = number(2) != 0;
  step.amount = fast ? 1 : -1;
  trace(step);
  drift(*processes_[event.index], fast);
}

void World::inject_foreign_delete(const Event& event, Step& step) {
  const std::span<const PathId> ephemerals = server_.ephemerals(event.index);
  step.path = ephemerals[number(static_cast<std::uint32_t>(ephemerals.size()))];
  hash_in(paths_->text(step.path).hash());
  trace(step);
  server_.remove_as_operator(step.path, now_);
}

// The end itself, or a few creates before it.
void World::inject_sequence_overflow(const Event& event, Step& step) {
  step.path = server_.windable()[event.index];
  const std::uint32_t nearer = number(Server::kMostCreatesLeft + 1);
  step.amount = Server::kLastNumber - Server::kMostCreatesLeft + static_cast<std::int32_t>(nearer);
  trace(step);
  server_.wind_sequence(step.path, step.amount);
}

void World::cut(LinkIndex index, std::uint32_t accepted, std::uint32_t received) {
  // What the server had already taken from the wire is applied although nobody waits for it.
  const auto under_way = static_cast<std::uint32_t>(network_.at(index).requests.size());
  for (std::uint32_t i = 0; i < std::min(accepted, under_way) && server_.can_apply(index); ++i) {
    take_up(index);
    if (!network_.at(index).open) return;
  }
  if (!network_.at(index).open) return;
  server_.connection_ended(index, now_);
  network_.disconnect(index, received, Error::kConnectionLoss);
}

void World::cut_late(LinkIndex index, std::uint32_t accepted, std::uint32_t received) {
  const Mailbox<ClientMessage>& sent = network_.at(index).requests;
  for (std::uint32_t i = 0; i < accepted && i < sent.size(); ++i)
    hash_in(PayloadHash(sent[i]).value());
  server_.connection_ended(index, now_, accepted);
  network_.disconnect(index, received, Error::kConnectionLoss);
}

void World::end_connections() {
  for (LinkIndex link = 0; link < network_.size(); ++link) {
    if (network_.at(link).open)
      cut(link, 0, static_cast<std::uint32_t>(network_.at(link).inbox.size()));
  }
}

void World::change_leader() {
  end_connections();
  server_.change_leader(now_);
}

void World::forget_writes(std::uint32_t writes) {
  end_connections();
  server_.forget_writes(writes, now_);
}

void World::heal() {
  healed_ = true;
  plan_ = FaultPlan();
  for (std::uint32_t index = 0; index < process_count_; ++index) wake(*processes_[index]);
  server_.mend(now_);
}

void World::expire(SessionIndex session) {
  if (recorder_) recorder_->writes(ObjectKind::kClock);
  expiring_ = session;
  advance_clock(server_.expiry_time(session, now_));
  expiring_.reset();
  hash_in(static_cast<std::uint64_t>(now_.time_since_epoch().count()));
  // A client that wakes up after so long a silence gives up by itself (C client, 2/3 of the
  // timeout).
  server_.decide_expiry(session, Error::kOperationTimeout);
}

bool World::answers_meanwhile(LinkIndex link) const {
  if (!expiring_) return false;
  if (recorder_) recorder_->reads(ObjectKind::kInbox, link);
  const Link& at = network_.at(link);
  return at.idle() && !at.held() && server_.session_of(link) != *expiring_ && hears(link);
}

bool World::hears(LinkIndex link) const {
  const SessionIndex session = server_.session_of(link);
  if (recorder_) recorder_->reads(ObjectKind::kLink, link);
  if (!network_.at(link).open || session == kNoSession) return false;
  const ReplicaIndex replica = server_.replica_of(link);
  if (recorder_) recorder_->reads(ObjectKind::kReplica, replica);
  return server_.session_alive(session) && !server_.replica(replica).unreachable;
}

void World::kill_session(SessionIndex session) { server_.decide_expiry(session); }

}  // namespace lockstep::fakezk
