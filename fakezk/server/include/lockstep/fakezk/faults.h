#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lockstep/fakezk/event_list.h"
#include "lockstep/fakezk/fault_budget.h"
#include "lockstep/fakezk/processes.h"
#include "lockstep/fakezk/txn.h"

namespace lockstep::fakezk {

// Starts a crashed process again.
class Restarter {
 public:
  // The process has died: its tasks are gone, and nothing that it has sent arrives any more.
  // Releases its sessions, which have not been notified, and may start it again.
  virtual void restart(Process& process) = 0;

 protected:
  ~Restarter() = default;
};

// The faults of a world: those that its plan still allows, and the effect of each, chosen or by
// hand. Each kind that a chooser can choose has its own file in
// fakezk/server/src/faults. Server has those that concern the servers alone.
class Faults {
 public:
  explicit Faults(World& world) : world_(world) {}

  // A new execution: none has struck, and no process crashes. The plan stays.
  void reset();
  void set_plan(const FaultPlan& plan) { budget_.set_plan(plan); }
  void set_restarter(Restarter* restarter) { restarter_ = restarter; }
  // The kinds that the plan still allows in this world.
  [[nodiscard]] FaultKinds left() const;
  [[nodiscard]] std::uint32_t injected() const { return budget_.used(); }
  [[nodiscard]] FaultKinds kinds_injected() const { return budget_.kinds_used(); }
  // The fault of a menu strikes.
  void strike(const Event& event);
  // Memory for a menu.
  [[nodiscard]] EventList& listed() { return listed_; }

  // A connection ends: of the requests in flight the server has accepted so many, and of its inbox
  // the client receives so many items.
  void cut(LinkIndex index, std::uint32_t accepted, std::uint32_t received);
  // The same, but what the server has accepted it applies later: an event of its own.
  void cut_late(LinkIndex index, std::uint32_t accepted, std::uint32_t received);
  // The client has left. The server has read everything in flight, and what it cannot answer yet
  // keeps no later write from the leader (FollowerRequestProcessor.run).
  void leave(LinkIndex index);
  // The servers hear nothing of a session until they expire it: the clock moves there.
  void expire(SessionIndex session);
  // Whether expire() is under way, and a request on this connection would be answered long before
  // its end: the connection is another session's and sound, and nothing that the schedule leaves
  // in flight is in front.
  [[nodiscard]] bool answers_meanwhile(LinkIndex link) const;
  // Server::hears(), but false for a session of which expire() lets the servers hear nothing.
  [[nodiscard]] bool hears(LinkIndex link) const;
  void kill_session(SessionIndex session);
  // Ends every connection. Requests in flight are lost. Answers in flight all arrive if a test
  // calls this; the fault loses some of the last ones on each connection.
  void change_leader();
  // The same, and the last `writes` writes never happened (Server::forget_writes).
  void forget_writes(std::uint32_t writes);
  // Draws how many of the last answers each open connection loses together with the leader. Valid
  // until the next draw.
  [[nodiscard]] std::span<const std::uint32_t> draw_lost_answers();
  void lose_answers(std::span<const std::uint32_t> lost);
  // A process executes nothing until it is woken; the clock brings it back after kLongestStall.
  void stall(Process& process);
  void wake(Process& process);
  static constexpr Duration kLongestStall = std::chrono::minutes(1);
  // A process dies: on each connection, the server has accepted as many of its requests in flight
  // as the chooser says; by hand, none.
  void crash(Process& process);
  // From now on its clock is slow or fast by one part in kDriftParts.
  void drift(Process& process, bool fast);
  // A fast clock skips one of its ticks now and then: what is due at that tick comes with the next
  // one.
  static constexpr Duration kPassedOver{1};
  // Heals everything that is broken; no fault strikes any more.
  void heal();

 private:
  // The server takes up that many requests in flight, as far as it can.
  void accept(LinkIndex index, std::uint32_t requests);
  void end_connections();
  void record_pace(const Process& process);

  World& world_;
  const FaultKinds impossible_alone_ = faults_that_need(FaultNeed::kReplicas);
  const FaultKinds impossible_for_good_ = faults_that_need(FaultNeed::kRestarter);
  FaultBudget budget_;
  Restarter* restarter_ = nullptr;
  EventList listed_;
  std::vector<std::uint32_t> lost_answers_;  // By link.
  std::optional<SessionIndex> expiring_;     // While the clock moves on to its end.
};

}  // namespace lockstep::fakezk
