#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "chaos/contender/control.h"
#include "chaos/contender/settings.h"
#include "chaos/draw.h"

namespace lockstep::chaos {

// The objects that the workers of one process share.
class Process {
 public:
  explicit Process(Settings how) : settings(std::move(how)), reporter(kLink, settings.flaw) {}

  [[nodiscard]] bool has(Flaw flaw) const { return settings.flaw == flaw; }
  [[nodiscard]] std::string lock(LockKind kind) const {
    return settings.root + "/" + std::string(name_of(kind));
  }
  // A random stream for each worker, different in every process.
  [[nodiscard]] Draw draw_of(int worker) const {
    return Draw(settings.seed * 1000 + static_cast<std::uint64_t>(worker));
  }

  const Settings settings;
  Reporter reporter;
  Control control;
};

// How long a worker holds a lock: usually briefly, but an office or a revocable lock long enough
// for faults to strike its holder.
[[nodiscard]] inline std::chrono::milliseconds holding_time(LockKind kind, Draw& draw) {
  using std::chrono::milliseconds;
  const bool keeps = kind == LockKind::kElection || kind == LockKind::kRevocable;
  if (keeps) return draw.between(milliseconds(100), milliseconds(2000));
  const std::uint64_t way = draw.below(20);
  if (way == 0) return draw.between(milliseconds(200), milliseconds(1500));
  if (way <= 2) return draw.between(milliseconds(20), milliseconds(200));
  return draw.between(milliseconds(0), milliseconds(10));
}
// The pause between two acquires.
[[nodiscard]] inline std::chrono::milliseconds thinking_time(Draw& draw) {
  return draw.between(std::chrono::milliseconds(0), std::chrono::milliseconds(60));
}
// The limit of a wait that has one.
[[nodiscard]] inline std::chrono::milliseconds patience(Draw& draw) {
  using std::chrono::milliseconds;
  if (draw.one_in(3)) return draw.between(milliseconds(500), milliseconds(5000));
  return draw.between(milliseconds(1), milliseconds(300));
}
// The pause between two looks at the state of a held lock.
inline constexpr std::chrono::milliseconds kBetweenWrites(10);
// While at rest, the pause between two looks at whether to go on.
inline constexpr std::chrono::milliseconds kBetweenLooks(20);

}  // namespace lockstep::chaos
