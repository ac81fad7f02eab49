#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lockstep/fakezk/chooser.h"
#include "lockstep/fakezk/random_stream.h"

namespace lockstep::search {

// A source of events, which strategies treat as a task: its events happen one after another. One
// direction of one link, the end of one session, the remains of one broken connection, one replica
// that lags, one stalled process, one thread, the reaper and the clock are one source each: the
// lateness of one says nothing about the others. The numbers are small.
[[nodiscard]] inline std::uint32_t source_of(const fakezk::Event& event) {
  constexpr auto kKinds = static_cast<std::uint32_t>(fakezk::Event::Kind::kFault) + 1;
  constexpr auto kClock = static_cast<std::uint32_t>(fakezk::Event::Kind::kTimer);
  // The clock needs only the first number of its kind, so threads have the others.
  if (event.kind == fakezk::Event::Kind::kGoOn) return kClock + kKinds * (1 + event.index);
  const auto kind = static_cast<std::uint32_t>(event.kind);
  const bool one_for_all = event.kind == fakezk::Event::Kind::kReap;
  return kind + kKinds * (one_for_all ? 0 : event.index);
}

// The input of a strategy at the start of an execution. All its choices are a function of this.
struct ExecutionStart {
  std::uint64_t seed;  // Seed of this execution: the hunt's seed and its index, mixed.
  std::uint32_t
      calm_positions;  // How often the execution of the default schedule asked the chooser.
  std::span<const std::uint32_t> calm_events;               // Its events, by source.
  std::uint32_t faults;                                     // The most faults it may use.
  fakezk::FaultKinds fault_kinds = fakezk::kAllFaultKinds;  // the kinds that can strike at all
};

// A way to search: a chooser that starts afresh with every execution.
class Strategy : public fakezk::Chooser {
 public:
  virtual void begin(const ExecutionStart& start) = 0;
};

// When an execution's faults strike: drawn before it begins, uniformly over its length. A fault
// that was merely one more event to choose would strike far too early most of the time. One
// execution in kFaultFreeShare has none. In one of kSpacedShare, faults keep a distance from each
// other, which is drawn as well, so that the consequences of one show before the next. A fault
// whose time lies after the end of the execution strikes last in one execution in kLastShare only,
// because the end of a session hides what it would have left.
class FaultTimes {
 public:
  static constexpr std::uint32_t kSpacedShare = 4;
  static constexpr std::uint32_t kFaultFreeShare = 16;
  static constexpr std::uint32_t kLastShare = 4;
  static constexpr std::uint32_t kMost = 16;  // In one execution.

  FaultTimes() { at_[0] = kNever; }
  void draw(fakezk::RandomStream& random, const ExecutionStart& start);
  // Call it once per choice: moves on to the next position, and returns whether a fault is due
  // there. Several that are due at once count as one.
  [[nodiscard]] bool advance() {
    const std::uint32_t now = position_++;
    if (at_[next_] != now) [[likely]]
      return false;
    while (at_[next_] == now) ++next_;
    return true;
  }
  // Called where nothing but a fault can happen: true if the next fault is to strike now.
  [[nodiscard]] bool strikes_last(fakezk::RandomStream& random) {
    if (at_[next_] == kNever || random.below(kLastShare) != 0) return false;
    ++next_;
    return true;
  }

 private:
  [[nodiscard]] static std::uint32_t number_of_faults(fakezk::RandomStream& random,
                                                      std::uint32_t most);

  static constexpr std::uint32_t kNever = static_cast<std::uint32_t>(-1);
  std::array<std::uint32_t, kMost + 1> at_{};  // In ascending order, followed by kNever.
  std::size_t next_ = 0;
  std::uint32_t position_ = 0;
};

// The kinds of faults that may strike in an execution: all of them in one third of the executions;
// in one third each kind is in or out with equal probability; in one third there is a single kind,
// drawn among all. If that leaves none of the possible kinds, all of them may strike. Some bugs
// need one kind twice, and the others only get in the way (A. Groce et al., "Swarm testing", ISSTA
// 2012).
class Swarm {
 public:
  static constexpr std::uint32_t kSwarmShares = 3;

  void draw(fakezk::RandomStream& random, fakezk::FaultKinds possible);
  [[nodiscard]] fakezk::FaultKinds kinds() const { return kinds_; }

 private:
  fakezk::FaultKinds kinds_ = fakezk::kAllFaultKinds;
};

// The common part of all random strategies: faults strike at times drawn in advance, or at the
// first chance after that. Cuts and expiries are twice as likely as any other kind that is possible
// then; the targets of a kind are equally likely; numbers are uniform.
class RandomStrategy : public Strategy {
 public:
  void begin(const ExecutionStart& start) final;
  std::optional<std::uint32_t> last_fault(const fakezk::Menu& menu) final;
  std::uint32_t number(std::uint32_t options) final { return random_.below(options); }

 protected:
  virtual void begin_events(const ExecutionStart& start) = 0;
  // Call it once per choice: moves on to the next position, and returns whether a fault should
  // strike, there or since an earlier position at which none could.
  [[nodiscard]] bool count_choice() {
    if (times_.advance()) ++overdue_;
    return overdue_ > 0;
  }
  [[nodiscard]] std::optional<fakezk::Choice> strike(const fakezk::Menu& menu);
  [[nodiscard]] fakezk::RandomStream& random() { return random_; }

 private:
  [[nodiscard]] fakezk::FaultKind draw_kind(fakezk::FaultKinds possible);

  fakezk::RandomStream random_;
  FaultTimes times_;
  Swarm swarm_;
  std::uint32_t overdue_ = 0;
};

// A random strategy defines how it chooses among ordinary events: `Self` has choose(events), the
// index of one of several, and may have happens(event), which is called with each event that
// happens, even if there was no choice.
template <class Self>
class RandomOrder : public RandomStrategy {
 public:
  fakezk::Choice next(const fakezk::Menu& menu) final {
    if (count_choice()) [[unlikely]] {
      const std::optional<fakezk::Choice> fault = strike(menu);
      if (fault) return *fault;
    }
    Self& self = static_cast<Self&>(*this);
    const std::span<const fakezk::Event> events = menu.events();
    const std::uint32_t index = events.size() == 1 ? 0 : self.choose(events);
    self.happens(events[index]);
    return fakezk::Choice{false, index};
  }
  void happens(const fakezk::Event&) {}

 protected:
  // The index of the event with the least key, the first of several.
  template <class Key>
  [[nodiscard]] static std::uint32_t least(std::span<const fakezk::Event> events, Key key) {
    std::uint32_t best = 0;
    auto least_key = key(events[0]);
    for (std::uint32_t i = 1; i < events.size(); ++i) {
      const auto other = key(events[i]);
      if (other < least_key) {
        best = i;
        least_key = other;
      }
    }
    return best;
  }
};

// Each makes one strategy; the file of that name says how it works and cites its source.
[[nodiscard]] std::unique_ptr<Strategy> make_random_walk();
[[nodiscard]] std::unique_ptr<Strategy> make_pct();
[[nodiscard]] std::unique_ptr<Strategy> make_pos();
[[nodiscard]] std::unique_ptr<Strategy> make_urw();
[[nodiscard]] std::unique_ptr<Strategy> make_delay();
[[nodiscard]] std::unique_ptr<Strategy> make_portfolio();

// The strategies by their names in `lockstep hunt --strategy`.
struct StrategyName {
  std::string_view name;
  std::unique_ptr<Strategy> (*make)();
};
[[nodiscard]] std::span<const StrategyName> strategies();

}  // namespace lockstep::search
