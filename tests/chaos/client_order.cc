#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "chaos/judge.h"

namespace lockstep::chaos {

namespace {

constexpr std::int64_t kForEver = std::numeric_limits<std::int64_t>::max();

// A process that runs again may be notified this much later.
constexpr std::int64_t kSlack = 20'000'000;

using Holder = std::tuple<int, int, std::string, std::int64_t>;  // Process, its life, lock, token.

Holder holder_of(const Event& event) {
  return {event.process, event.life, event.lock, event.token};
}

// A time during which a holder relies on its lock.
struct Use {
  Event begin;
  std::int64_t end = kForEver;
};

struct Stall {
  int process;
  std::int64_t begin;
  std::int64_t end;
};

// All uses of each lock in the order of their beginnings, and the stalls of all processes.
class Uses {
 public:
  explicit Uses(const std::vector<Event>& events) {
    for (const Event& event : events) follow(event);
    for (auto& [lock, uses] : by_lock) {
      std::ranges::sort(uses, {},
                        [](const Use& use) { return std::pair(use.begin.at, use.begin.token); });
    }
  }

  // Whether a process did not run at some time in between.
  [[nodiscard]] bool stalled(int process, std::int64_t begin, std::int64_t end) const {
    return std::ranges::any_of(stalls_, [&](const Stall& stall) {
      return stall.process == process && stall.begin <= end && stall.end >= begin;
    });
  }

  std::map<std::string, std::vector<Use>> by_lock;

 private:
  void follow(const Event& event) {
    if (event.kind == Kind::kEntered) {
      std::vector<Use>& uses = by_lock[event.lock];
      open_[holder_of(event)] = uses.size();
      uses.push_back({event});
    } else if (event.kind == Kind::kLeft || event.kind == Kind::kLost) {
      const auto found = open_.find(holder_of(event));
      if (found == open_.end()) return;
      by_lock[event.lock][found->second].end = event.at;
      open_.erase(found);
    } else if (event.kind == Kind::kKilled) {
      std::erase_if(open_, [&](const auto& entry) {
        if (std::get<0>(entry.first) != event.process) return false;
        by_lock[std::get<2>(entry.first)][entry.second].end = event.at;
        return true;
      });
    } else if (event.kind == Kind::kStalled) {
      stalls_.push_back({event.process, event.at - event.detail, event.at});
    }
  }

  std::map<Holder, std::size_t> open_;
  std::vector<Stall> stalls_;
};

std::string who(const Event& event) {
  return "process " + std::to_string(event.process) + " with token " + std::to_string(event.token);
}

Violation overlap(const std::string& lock, const Use& use, const Use& other) {
  const std::int64_t now = use.begin.at;
  return {"client order", lock,
          who(use.begin) + " enters while " + who(other.begin) + " is inside, for another " +
              std::to_string((other.end - now) / 1000) + " us",
          now};
}

// True if the holder of the older grant stayed too long only because it did not run, and so could
// not be notified.
bool is_excused(const Uses& uses, const Use& use, const Use& other) {
  const Use& older = other.begin.token < use.begin.token ? other : use;
  return uses.stalled(older.begin.process, use.begin.at - kSlack, older.end);
}

// Judges `use`, which begins while these holders are inside.
void judge_entry(const std::string& lock, const Uses& uses, const Use& use,
                 const std::vector<Use>& inside, std::vector<Violation>& violations,
                 Judged& judged) {
  const bool leases = lock.ends_with(name_of(LockKind::kSemaphore));
  const std::size_t room = leases ? static_cast<std::size_t>(kLeases) : 1;
  std::vector<Use> in_the_way;
  std::size_t excused = 0;
  for (const Use& other : inside) {
    if (!leases && other.begin.shared && use.begin.shared) continue;
    if (is_excused(uses, use, other)) {
      ++excused;
    } else {
      in_the_way.push_back(other);
    }
  }
  if (in_the_way.size() >= room) {
    violations.push_back(overlap(lock, use, in_the_way.front()));
  } else if (in_the_way.size() + excused >= room) {
    ++judged.excused;
  }
}

}  // namespace

void judge_client_order(const std::vector<Event>& events, std::vector<Violation>& violations,
                        Judged& judged) {
  const Uses uses(events);
  for (const auto& [lock, of_lock] : uses.by_lock) {
    std::vector<Use> inside;
    for (const Use& use : of_lock) {
      ++judged.intervals;
      std::erase_if(inside, [&](const Use& other) { return other.end <= use.begin.at; });
      judge_entry(lock, uses, use, inside, violations, judged);
      inside.push_back(use);
    }
  }
}

}  // namespace lockstep::chaos
