#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "lockstep/clock.h"
#include "lockstep/fakezk/applied.h"
#include "lockstep/fakezk/chooser.h"
#include "lockstep/fakezk/message.h"
#include "lockstep/fakezk/server_timers.h"

namespace lockstep::fakezk {

// One step, as a tracer sees it. Valid during the call only.
struct Step {
  std::uint32_t number;
  Event event;
  TimePoint now;
  const Applied* applied = nullptr;         // kApply, kStray
  const ServerMessage* received = nullptr;  // kDeliver
  TimerKind timer = TimerKind::kProcess;    // a timer: what becomes of it
  std::uint32_t timer_index = 0;            // and the process it belongs to
  std::uint32_t lost_requests = 0;          // a cut
  std::uint32_t lost_inbox = 0;             // a cut
  // kLeaderChange, kForgottenWrites: by link, how much of its inbox; all requests of the open ones
  // are lost, too.
  std::span<const std::uint32_t> lost_inboxes = {};
  PathId path = PathTable::kRoot;  // kReap, and faults that strike a znode
  // kSequenceOverflow: the next number; kClockDrift: 1 fast, -1 slow; kForgottenWrites: how many
  std::int32_t amount = 0;
};

// Watches an execution from outside, to draw it. Must not change anything.
class Tracer {
 public:
  Tracer() = default;
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;
  virtual ~Tracer() = default;

  // Called before the work runs that the step causes in the client.
  virtual void step(const Step& step) = 0;
  // A remark of the program under test about one of its processes: "holds /lock".
  virtual void note(std::uint32_t process, std::string_view text) = 0;
  // The same about one of several users of that process, counted from 1.
  virtual void user_note(std::uint32_t process, std::uint32_t /*user*/, std::string_view text) {
    note(process, text);
  }
  // A process has reported that it was granted a lock through `znode`, or that the grant is over.
  virtual void grant_begins(std::uint32_t /*process*/, const Path& /*znode*/) {}
  virtual void grant_ends(std::uint32_t /*process*/, const Path& /*znode*/) {}
  // Everything that a step has set off is done. Also called when the tracer is set.
  virtual void settled() {}
};

}  // namespace lockstep::fakezk
