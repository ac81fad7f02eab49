#include "lockstep/fakezk/agenda.h"

namespace lockstep::fakezk {

void Agenda::reset() {
  current_ = 0;
  fair_ = false;
}

void Agenda::list_at_rest(bool timer) {
  events_.clear();
  if (timer) events_.add({Event::Kind::kTimer, FaultKind::kCut, 0});
  if (processes_.stalled() > 0) list_wakes();
}

void Agenda::list_under_way() {
  events_.clear();
  list_threads();
  list_links();
}

// The general case: there are events without a link, or some links are blocked.
void Agenda::list_with_late_events() {
  list_reaping();
  if (fair_) list_late_events();
  if (!fair_) list_threads();
  list_links();
  if (fair_) return list_threads();
  list_late_events();
  list_wakes();
}

void Agenda::list_links() {
  if (fair_) {
    list_links_fairly();
  } else {
    list_ready_links();
  }
  if (processes_.stalled() > 0 || server_.replica_count() > 1) leave_out_what_waits();
}

// In the phase without faults, the link that went on last comes last.
void Agenda::list_links_fairly() {
  const ReadyLinks& ready = network_.ready();
  const LinkIndex links = network_.size();
  for (LinkIndex turn = 1; turn <= links; ++turn) {
    const LinkIndex link = (current_ + turn) % links;
    const ReadyLinks::Place place(link);
    if (ready.is(place, ReadyLinks::Way::kDeliver))
      events_.add({Event::Kind::kDeliver, FaultKind::kCut, link});
    if (ready.is(place, ReadyLinks::Way::kApply))
      events_.add({Event::Kind::kApply, FaultKind::kCut, link});
  }
}

// Leaves out deliveries to stalled processes, and requests that wait for a replica to catch up.
void Agenda::leave_out_what_waits() {
  events_.erase_if([this](const Event& event) { return waits(event); });
}

bool Agenda::waits(const Event& event) const {
  if (event.kind == Event::Kind::kDeliver) return processes_.stalled(event.index);
  return event.kind == Event::Kind::kApply && !server_.can_apply(event.index);
}

void Agenda::list_reaping() {
  for (std::uint32_t i = 0; i < server_.reaping().size(); ++i) {
    events_.add({Event::Kind::kReap, FaultKind::kCut, i});
  }
}

// In the default schedule, these come when nothing else can happen, and one deviation makes one of
// them early. If they were early by default, delaying one would take a deviation at every step.
void Agenda::list_late_events() {
  for (const SessionIndex session : server_.closing()) {
    events_.add({Event::Kind::kCloseSession, FaultKind::kCut, session});
  }
  for (std::uint32_t i = 0; i < server_.strays().size(); ++i) {
    if (!server_.strays().is_first(i)) continue;
    events_.add({Event::Kind::kStray, FaultKind::kCut, i});
  }
  for (ReplicaIndex replica = 0; replica < server_.replica_count(); ++replica) {
    if (server_.can_replicate(replica)) {
      events_.add({Event::Kind::kReplicate, FaultKind::kCut, replica});
    }
  }
}

void Agenda::list_wakes() {
  for (const auto& process : processes_.all()) {
    if (!process->stalled()) continue;
    events_.add({Event::Kind::kWake, FaultKind::kCut, process->index()});
  }
}

// By default a thread goes on as soon as its call is over. In the phase without faults it comes
// last: a thread that never ends must not block everything else.
void Agenda::list_threads() {
  const bool any_is_stalled = processes_.stalled() > 0;
  EventList::Some some(events_, threads_.ready().size());
  for (const Thread* const thread : threads_.ready()) {
    if (any_is_stalled && thread->process().stalled()) continue;
    some.add({Event::Kind::kGoOn, FaultKind::kCut, thread->index()});
  }
}

}  // namespace lockstep::fakezk
