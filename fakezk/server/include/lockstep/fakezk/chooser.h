#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "lockstep/fakezk/fault.h"

namespace lockstep::fakezk {

// Something that can happen next. Its index is a link, a session, a replica, a position in one of
// the server's lists, or nothing.
struct Event {
  enum class Kind : std::uint8_t {
    kDeliver,       // A client receives the oldest item of its inbox. (link)
    kApply,         // The server applies the oldest request of a client. (link)
    kCloseSession,  // The server deletes the ephemerals of a session it has expired. (session)
    kReap,          // The server deletes a container or a znode whose time has come. (position)
    kStray,         // A server takes up what a broken connection left behind. (position)
    kReplicate,     // A replica that lags applies the next entry of the log. (replica)
    kTimer,         // Nothing else can happen: the clock moves to the earliest timer.
    kWake,          // A process that was stalled goes on. (process)
    kFault,         // One fault. (what each(..) of its kind in fakezk/server/src/faults counts)
    kGoOn,          // A thread goes on whose blocking call is over. (Thread::index)
  };
  Kind kind;
  FaultKind fault = FaultKind::kCut;
  std::uint32_t index = 0;

  friend bool operator==(const Event&, const Event&) = default;
};

// The faults that can strike next. They are listed on demand only, and only as far as asked for,
// because most steps need none of them.
class PossibleFaults {
 public:
  [[nodiscard]] virtual std::span<const Event> list() const = 0;
  // The beginning of the list, at least up to the last fault of that kind.
  [[nodiscard]] virtual std::span<const Event> list_up_to(FaultKind) const { return list(); }
  // Returns those of these kinds that can strike.
  [[nodiscard]] virtual FaultKinds among(FaultKinds kinds) const {
    FaultKinds found = 0;
    for (const Event& fault : list()) found |= bit(fault.fault);
    return found & kinds;
  }

 protected:
  ~PossibleFaults() = default;
};

// The options that a chooser has. The ordinary events come in the default order: the first is the
// one that happens by default (go on with the same client, otherwise the client with the lowest
// number). The world owns both lists, and they stay unchanged until the choice is made.
class Menu {
 public:
  Menu(std::span<const Event> events, const PossibleFaults& faults)
      : events_(events), faults_(faults) {}

  [[nodiscard]] std::span<const Event> events() const { return events_; }
  [[nodiscard]] std::span<const Event> faults() const { return faults_.list(); }
  [[nodiscard]] const PossibleFaults& possible_faults() const { return faults_; }

 private:
  std::span<const Event> events_;
  const PossibleFaults& faults_;
};

// One choice: the index-th ordinary event, or the index-th fault. Indices are taken modulo the
// number of entries (a fault where there is none is the default event), so that any sequence of
// choices is a valid schedule.
struct Choice {
  bool fault = false;
  std::uint32_t index = 0;

  friend bool operator==(const Choice&, const Choice&) = default;
};

// The one door through which all nondeterminism of the simulated world enters.
class Chooser {
 public:
  Chooser() = default;
  Chooser(const Chooser&) = delete;
  Chooser& operator=(const Chooser&) = delete;
  virtual ~Chooser() = default;

  // Chooses the event that happens next.
  virtual Choice next(const Menu& menu) = 0;
  // Only a fault can still happen: the one of the menu that strikes; none ends the execution.
  virtual std::optional<std::uint32_t> last_fault(const Menu&) { return std::nullopt; }
  // A number below `options` (at least 2) that an event needs; 0 is the default.
  virtual std::uint32_t number(std::uint32_t options) = 0;
  // The same, for a number that only decides an order.
  virtual std::uint32_t order(std::uint32_t options) { return number(options); }
  // The same, for a number whose every effect can also be had with 0, after other earlier choices.
  virtual std::uint32_t shortcut(std::uint32_t options) { return number(options); }
};

// Follows the default schedule: no fault, no preemption.
class Calm final : public Chooser {
 public:
  Choice next(const Menu&) override { return {}; }
  std::uint32_t number(std::uint32_t) override { return 0; }
};

// The same, but the servers carry out at once what they have decided, as if they were idle: for
// tests by hand.
class Prompt final : public Chooser {
 public:
  Choice next(const Menu& menu) override {
    const std::span<const Event> events = menu.events();
    for (std::uint32_t i = 0; i < events.size(); ++i) {
      if (events[i].kind == Event::Kind::kCloseSession) return {false, i};
    }
    return {};
  }
  std::uint32_t number(std::uint32_t) override { return 0; }
};

}  // namespace lockstep::fakezk
