// How faults strike, and what they share; each has its own file in faults/.
#include <algorithm>
#include <utility>

#include "faults/fault.h"
#include "lockstep/fakezk/world.h"
#include "payload_hash.h"

namespace lockstep::fakezk {

// The kinds that may still strike in this world.
FaultKinds World::faults_left() const {
  FaultKinds left = budget_.left();
  if (server_.replica_count() == 1) left &= ~impossible_alone_;
  return restarter_ ? left : left & ~impossible_for_good_;
}

FaultKinds World::possible_faults(FaultKinds kinds) const {
  return possible_among(*this, kinds & faults_left());
}

void World::inject(const Event& event) {
  if (recorder_) recorder_->writes(ObjectKind::kFaults);
  budget_.strikes(event.fault);
  const Fault& struck = fault(event.fault);
  // Footprints do not tell apart which parents there are, and which of them have no children.
  if (recorder_ && struck.parent) recorder_->touches_everything();
  Step step{.number = steps_, .event = event, .now = now_};
  struck.strike(*this, event, step);
}

// A part of what a server has sent on each connection before it loses its lead arrives.
void FaultsHand::draw_lost_inboxes(World& world, Step& step) {
  const Network& network = world.network_;
  world.lost_inboxes_.assign(network.size(), 0);
  for (LinkIndex link = 0; link < network.size(); ++link) {
    if (!network.at(link).open) continue;
    const auto items = static_cast<std::uint32_t>(network.at(link).inbox.size());
    world.lost_inboxes_[link] = world.number(items + 1);
  }
  step.lost_inboxes = world.lost_inboxes_;
}

void FaultsHand::lose_inboxes(World& world) {
  Network& network = world.network_;
  for (LinkIndex link = 0; link < network.size(); ++link) {
    const std::uint32_t lost = world.lost_inboxes_[link];
    if (lost > 0) network[link].inbox.truncate(network.at(link).inbox.size() - lost);
  }
}

void World::cut(LinkIndex index, std::uint32_t accepted, std::uint32_t received) {
  // The server applies requests that it had already taken from the wire, although no client waits.
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
  budget_.set_plan(FaultPlan());
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
