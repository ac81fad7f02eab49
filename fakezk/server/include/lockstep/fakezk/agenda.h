#pragma once

#include <cstddef>
#include <span>

#include "lockstep/fakezk/event_list.h"
#include "lockstep/fakezk/network.h"
#include "lockstep/fakezk/processes.h"
#include "lockstep/fakezk/server.h"
#include "lockstep/fakezk/threads.h"

namespace lockstep::fakezk {

// The ordinary events that can happen next, in the order of the default schedule: first those of
// the client that had the previous event, last those that are late by nature. In the fair order,
// for the healing at the end, the client that was served last comes last.
class Agenda {
 public:
  Agenda(Network& network, Server& server, const Processes& processes, const Threads& threads)
      : network_(network), server_(server), processes_(processes), threads_(threads) {}

  // Returns to the default order, starting with the first link.
  void reset();
  void become_fair() { fair_ = true; }
  [[nodiscard]] bool is_fair() const { return fair_; }
  // The link whose event came last.
  void set_current(LinkIndex link) { current_ = link; }
  [[nodiscard]] LinkIndex current() const { return current_; }

  // Lists all events but the clock's. Listed events stay where they are until the next list.
  [[gnu::always_inline]] void list();
  // Whether the only listed events are wake-ups of stalled processes: anything else needs time to
  // pass.
  [[nodiscard]] bool is_at_rest() const { return events_.size() == processes_.stalled(); }
  // Lists what can happen at rest: a timer, if one may fire, and the wake-ups of stalled processes.
  void list_at_rest(bool timer);
  // Lists only messages in flight and threads that may go on: the events of World::settle.
  void list_under_way();
  [[nodiscard]] std::span<const Event> events() const { return events_.view(); }

 private:
  void list_with_late_events();
  [[gnu::always_inline]] void list_ready_links();
  void list_links();
  void list_links_fairly();
  void list_reaping();
  void leave_out_what_waits();
  [[nodiscard]] bool waits(const Event& event) const;
  void list_late_events();
  void list_wakes();
  void list_threads();

  Network& network_;
  Server& server_;
  const Processes& processes_;
  const Threads& threads_;
  EventList events_;
  LinkIndex current_ = 0;
  bool fair_ = false;
};

// All in one function, because it runs in every step: separate calls would take a tenth of the
// step's time.
inline void Agenda::list() {
  events_.clear();
  if (fair_ || processes_.stalled() > 0 || server_.has_work()) [[unlikely]]
    return list_with_late_events();
  if (!threads_.ready().empty()) list_threads();
  list_ready_links();
}

// In the default schedule, the link whose event came last goes on.
inline void Agenda::list_ready_links() {
  EventList::Some some(events_, std::size_t{2} * network_.size());
  network_.ready().each(current_, [&](LinkIndex link, ReadyLinks::Way way) {
    const bool applies = way == ReadyLinks::Way::kApply;
    some.add({applies ? Event::Kind::kApply : Event::Kind::kDeliver, FaultKind::kCut, link});
  });
}

}  // namespace lockstep::fakezk
