// The code that all faults share; each kind has its own file in faults/.
#include "lockstep/fakezk/faults.h"

#include <algorithm>

#include "faults/fault.h"
#include "lockstep/fakezk/world.h"
#include "payload_hash.h"

namespace lockstep::fakezk {

void Faults::reset() {
  budget_.begin();
  restarter_ = nullptr;
}

FaultKinds Faults::left() const {
  FaultKinds left = budget_.left();
  if (world_.server().replica_count() == 1) left &= ~impossible_alone_;
  return restarter_ ? left : left & ~impossible_for_good_;
}

void Faults::strike(const Event& event) {
  FootprintRecorder* const recorder = world_.recorder();
  if (recorder) recorder->writes(ObjectKind::kFaults);
  budget_.strikes(event.fault);
  const Fault& struck = fault(event.fault);
  // Footprints do not record which parents exist, and which of them have no children.
  if (recorder && struck.parent) recorder->touches_everything();
  Step step{.number = world_.steps(), .event = event, .now = world_.now()};
  struck.strike(world_, event, step);
}

void Faults::accept(LinkIndex index, std::uint32_t requests) {
  // A connection that has just ended leaves nothing to cut.
  if (FootprintRecorder* const recorder = world_.recorder())
    recorder->reads(ObjectKind::kLink, index);
  // The server applies requests that it had already read, although no client waits for them.
  const Network& network = world_.network();
  const auto under_way = static_cast<std::uint32_t>(network.at(index).requests.size());
  const std::uint32_t most = std::min(requests, under_way);
  for (std::uint32_t i = 0; i < most && world_.server().can_apply(index); ++i) {
    world_.process_message(index);
    if (!network.at(index).open) return;
  }
}

void Faults::cut(LinkIndex index, std::uint32_t accepted, std::uint32_t received) {
  accept(index, accepted);
  Network& network = world_.network();
  if (!network.at(index).open) return;
  world_.servers().connection_ended(index, world_.now());
  network.disconnect(index, received, Error::kConnectionLoss);
}

void Faults::leave(LinkIndex index) {
  const Link& link = world_.network().at(index);
  accept(index, static_cast<std::uint32_t>(link.requests.size()));
  if (link.open) cut_late(index, static_cast<std::uint32_t>(link.requests.size()), 0);
}

void Faults::cut_late(LinkIndex index, std::uint32_t accepted, std::uint32_t received) {
  Network& network = world_.network();
  const Mailbox<ClientMessage>& sent = network.at(index).requests;
  for (std::uint32_t i = 0; i < accepted && i < sent.size(); ++i)
    world_.hash_in(PayloadHash(sent[i]).value());
  world_.servers().connection_ended(index, world_.now(), accepted);
  network.disconnect(index, received, Error::kConnectionLoss);
}

void Faults::expire(SessionIndex session) {
  if (FootprintRecorder* const recorder = world_.recorder()) recorder->writes(ObjectKind::kClock);
  expiring_ = session;
  world_.advance_clock(world_.server().expiry_time(session, world_.now()));
  expiring_.reset();
  world_.hash_in(static_cast<std::uint64_t>(world_.now().time_since_epoch().count()));
  // After so long a silence the client itself gives up when it wakes (C client: 2/3 of the
  // timeout).
  world_.servers().decide_expiry(session, Error::kOperationTimeout);
}

bool Faults::answers_meanwhile(LinkIndex link) const {
  if (!expiring_) return false;
  if (FootprintRecorder* const recorder = world_.recorder())
    recorder->reads(ObjectKind::kInbox, link);
  const Link& at = world_.network().at(link);
  const Server& server = world_.server();
  return at.idle() && !at.held() && server.session_of(link) != *expiring_ && server.hears(link);
}

bool Faults::hears(LinkIndex link) const {
  const Server& server = world_.server();
  return server.hears(link) && server.session_of(link) != expiring_;
}

void Faults::kill_session(SessionIndex session) { world_.servers().decide_expiry(session); }

void Faults::end_connections() {
  const Network& network = world_.network();
  for (LinkIndex link = 0; link < network.size(); ++link) {
    if (network.at(link).open)
      cut(link, 0, static_cast<std::uint32_t>(network.at(link).inbox.size()));
  }
}

void Faults::change_leader() {
  end_connections();
  world_.servers().change_leader(world_.now());
}

void Faults::forget_writes(std::uint32_t writes) {
  end_connections();
  world_.servers().forget_writes(writes, world_.now());
}

std::span<const std::uint32_t> Faults::draw_lost_answers() {
  const Network& network = world_.network();
  lost_answers_.assign(network.size(), 0);
  for (LinkIndex link = 0; link < network.size(); ++link) {
    if (!network.at(link).open) continue;
    const auto items = static_cast<std::uint32_t>(network.at(link).inbox.size());
    lost_answers_[link] = world_.draw(items + 1);
  }
  return lost_answers_;
}

void Faults::lose_answers(std::span<const std::uint32_t> lost) {
  Network& network = world_.network();
  for (LinkIndex link = 0; link < network.size(); ++link) {
    if (lost[link] > 0) network[link].inbox.truncate(network.at(link).inbox.size() - lost[link]);
  }
}

// The process now acts at other times, so the clock passes other timers when it moves.
void Faults::record_pace(const Process& process) {
  FootprintRecorder* const recorder = world_.recorder();
  if (!recorder) return;
  recorder->writes(ObjectKind::kProcess, process.index());
  recorder->reads(ObjectKind::kClock);
}

// The kernel of a stalled process keeps its connections and acknowledges messages that the process
// does not read.
void Faults::stall(Process& process) {
  record_pace(process);
  if (!process.stall(world_.now() + kLongestStall)) return;
  world_.processes().each_link_of(
      process, [this](LinkIndex link) { world_.servers().begin_silence(link, world_.now()); });
}

void Faults::wake(Process& process) {
  record_pace(process);
  if (!process.wake()) return;
  world_.processes().each_link_of(process,
                                  [this](LinkIndex link) { world_.servers().end_silence(link); });
}

void Faults::crash(Process& process) {
  world_.processes().set_acting(process.index());
  record_pace(process);
  // Destroying its tasks may touch memory that other processes use.
  if (FootprintRecorder* const recorder = world_.recorder())
    recorder->writes(ObjectKind::kUserMemory);
  process.wake();
  world_.processes().each_link_of(process, [this](LinkIndex link) {
    const Link& at = world_.network().at(link);
    const auto sent = static_cast<std::uint32_t>(at.requests.size());
    const std::uint32_t accepted = at.open ? world_.choices().shortcut(sent + 1) : 0;
    cut(link, accepted, 0);
    world_.network().abandon(link);
  });
  process.tasks().clear();
  if (restarter_) restarter_->restart(process);
}

void Faults::drift(Process& process, bool fast) {
  record_pace(process);
  process.clock().drift(fast);
}

void Faults::heal() {
  budget_.set_plan(FaultPlan());
  for (const auto& process : world_.processes().all()) wake(*process);
  world_.servers().heal(world_.now());
}

}  // namespace lockstep::fakezk
